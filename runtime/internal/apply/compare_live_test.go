package apply

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

const manager = "opgen/web.example.com"

// offline makes no requests.
var offline = &Applier{Manager: manager}

// applied returns the desired Service as the API server answers it, with the default protocol and a
// cluster IP.
func applied(t *testing.T) *corev1.Service {
	t.Helper()
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", UID: "1", ResourceVersion: "10", Labels: map[string]string{"app": "web"}}}
	service.Annotations = map[string]string{hashKey: desired(t, nil).Hash}
	service.Spec.ClusterIP = "10.0.0.1"
	service.Spec.Ports = []corev1.ServicePort{{Port: 80, Protocol: "TCP", Name: "http"}, {Port: 80, Protocol: "UDP", Name: "quic"}}
	service.ManagedFields = []metav1.ManagedFieldsEntry{
		{Manager: "kubectl", Operation: "Update", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{}}}`)},
		{Manager: manager, Operation: "Apply", FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:app":{}}},"f:spec":{"f:ports":{` +
			`"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{},"f:port":{}},` +
			`"k:{\"port\":80,\"protocol\":\"UDP\"}":{".":{},"f:name":{},"f:port":{},"f:protocol":{}}}}}`)},
	}
	return service
}

// desired returns a desired Service whose first port leaves out its protocol.
func desired(t *testing.T, change func(*corev1.Service)) Desired {
	t.Helper()
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}}}
	service.Spec.Ports = []corev1.ServicePort{{Port: 80, Name: "http"}, {Port: 80, Protocol: "UDP", Name: "quic"}}
	if change != nil {
		change(service)
	}
	content, err := Canonical(service)
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDesired(Desired{
		Kind: schema.GroupVersionKind{Version: "v1", Kind: "Service"}, Name: types.NamespacedName{Namespace: "default", Name: "web"},
		Policies: declared.Policies{Update: declared.InPlace}, HashKey: hashKey,
	}, content)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestCompareLive(t *testing.T) {
	for _, test := range []struct {
		name    string
		live    func(*corev1.Service) // since the last apply
		changed func(*corev1.Service) // likewise
		with    syncState             // an applied state
		fresh   syncState             // none, as after a restart
	}{
		{name: "nothing happened", with: inSync, fresh: inSync},
		{name: "a field of others", live: func(s *corev1.Service) { s.Spec.ClusterIP = "10.0.0.2" }, with: inSync, fresh: inSync},
		{name: "a label of others", live: func(s *corev1.Service) { s.Labels["other"] = "x" }, with: inSync, fresh: inSync},
		{name: "a status", live: func(s *corev1.Service) { s.Status.Conditions = []metav1.Condition{{Type: "X"}} }, with: inSync, fresh: inSync},
		{name: "list order", live: func(s *corev1.Service) { s.Spec.Ports[0], s.Spec.Ports[1] = s.Spec.Ports[1], s.Spec.Ports[0] }, with: inSync, fresh: inSync},
		{name: "an owned label", live: func(s *corev1.Service) { s.Labels["app"] = "x" }, with: drifted, fresh: unknown},
		{name: "an owned label gone", live: func(s *corev1.Service) { s.Labels = nil }, with: drifted, fresh: unknown},
		{name: "a list item", live: func(s *corev1.Service) { s.Spec.Ports[0].Name = "x" }, with: drifted, fresh: unknown},
		{name: "a list item gone", live: func(s *corev1.Service) { s.Spec.Ports = s.Spec.Ports[:1] }, with: drifted, fresh: unknown},
		{name: "owned paths", live: func(s *corev1.Service) {
			s.ManagedFields[1].FieldsV1 = metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:app":{}}}}`)
		}, with: drifted, fresh: drifted},
		{name: "managed fields wiped", live: func(s *corev1.Service) { s.ManagedFields = nil }, with: drifted, fresh: drifted},
		{name: "another object of the name", live: func(s *corev1.Service) { s.UID, s.Labels = "2", nil }, with: unknown, fresh: unknown},
		{name: "the hash", live: func(s *corev1.Service) { s.Annotations = nil }, with: drifted, fresh: outdated},
		{name: "a desired value", changed: func(s *corev1.Service) { s.Labels["app"] = "new" }, with: outdated, fresh: outdated},
		{name: "a desired field more", changed: func(s *corev1.Service) { s.Labels["more"] = "x" }, with: outdated, fresh: outdated},
		{name: "a desired field less", changed: func(s *corev1.Service) { s.Labels = nil }, with: outdated, fresh: outdated},
		{name: "a desired list item less", changed: func(s *corev1.Service) { s.Spec.Ports = s.Spec.Ports[:1] }, with: outdated, fresh: outdated},
	} {
		t.Run(test.name, func(t *testing.T) {
			state, live := new(AppliedState), applied(t)
			if err := offline.newApply(time.Now(), state, desired(t, nil)).recordApplied(live); err != nil {
				t.Fatal(err)
			}
			live = live.DeepCopy()
			if test.live != nil {
				live.ResourceVersion = "11"
				test.live(live)
			}
			changed := desired(t, test.changed)
			if got, err := offline.newApply(time.Now(), state, changed).compareLive(live); err != nil || got != test.with {
				t.Errorf("with an applied state: %v, %v, want %v", got, err, test.with)
			}
			if got, err := offline.newApply(time.Now(), new(AppliedState), changed).compareLive(live); err != nil || got != test.fresh {
				t.Errorf("without an applied state: %v, %v, want %v", got, err, test.fresh)
			}
		})
	}
}

func TestCompareLiveRecordsTheVersion(t *testing.T) {
	state, live, changed := new(AppliedState), applied(t), desired(t, nil)
	for _, version := range []string{"10", "11", "12"} {
		live.ResourceVersion = version
		if got, err := offline.newApply(time.Now(), state, changed).compareLive(live); err != nil || got != inSync {
			t.Fatalf("version %s: %v, %v", version, got, err)
		}
		if got := state.child(changed.Key()).version; got != version {
			t.Errorf("the applied state has version %s, want %s", got, version)
		}
	}
	state.Keep(time.Now(), map[Key]bool{})
	if len(state.children) > 0 {
		t.Errorf("the applied state still has %v", state)
	}
}
