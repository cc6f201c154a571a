package apply

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

const manager = "opgen/web.example.com"

// judging needs no API server.
var judging = &Applier{Manager: manager}

// applied is what the API server made of the desired Service: it filled in the
// protocol and the cluster IP.
func applied() *corev1.Service {
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default", UID: "1", ResourceVersion: "10", Labels: map[string]string{"app": "web"}}}
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

// desired is the desired Service: the first port leaves its protocol out.
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
	}, content)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		name   string
		live   func(*corev1.Service) // since the memo was written
		wanted func(*corev1.Service) // likewise
		with   verdict               // the memo
		fresh  verdict               // no memo, as after a restart
	}{
		{name: "nothing happened", with: converged, fresh: converged},
		{name: "a field of others", live: func(s *corev1.Service) { s.Spec.ClusterIP = "10.0.0.2" }, with: converged, fresh: converged},
		{name: "a label of others", live: func(s *corev1.Service) { s.Labels["other"] = "x" }, with: converged, fresh: converged},
		{name: "a status", live: func(s *corev1.Service) { s.Status.Conditions = []metav1.Condition{{Type: "X"}} }, with: converged, fresh: converged},
		{name: "list order", live: func(s *corev1.Service) { s.Spec.Ports[0], s.Spec.Ports[1] = s.Spec.Ports[1], s.Spec.Ports[0] }, with: converged, fresh: converged},
		{name: "an owned label", live: func(s *corev1.Service) { s.Labels["app"] = "x" }, with: drifted, fresh: changed},
		{name: "an owned label gone", live: func(s *corev1.Service) { s.Labels = nil }, with: drifted, fresh: changed},
		{name: "a list item", live: func(s *corev1.Service) { s.Spec.Ports[0].Name = "x" }, with: drifted, fresh: changed},
		{name: "a list item gone", live: func(s *corev1.Service) { s.Spec.Ports = s.Spec.Ports[:1] }, with: drifted, fresh: changed},
		{name: "owned paths", live: func(s *corev1.Service) {
			s.ManagedFields[1].FieldsV1 = metav1.NewFieldsV1(`{"f:metadata":{"f:labels":{"f:app":{}}}}`)
		}, with: drifted, fresh: changed},
		{name: "managed fields wiped", live: func(s *corev1.Service) { s.ManagedFields = nil }, with: drifted, fresh: changed},
		{name: "another object of the name", live: func(s *corev1.Service) { s.UID, s.Labels = "2", nil }, with: changed, fresh: changed},
		{name: "a desired value", wanted: func(s *corev1.Service) { s.Labels["app"] = "new" }, with: changed, fresh: changed},
		{name: "a desired field more", wanted: func(s *corev1.Service) { s.Labels["more"] = "x" }, with: changed, fresh: changed},
		{name: "a desired field less", wanted: func(s *corev1.Service) { s.Labels = nil }, with: changed, fresh: changed},
		{name: "a desired list item less", wanted: func(s *corev1.Service) { s.Spec.Ports = s.Spec.Ports[:1] }, with: changed, fresh: changed},
	} {
		t.Run(test.name, func(t *testing.T) {
			memo, live := new(Memo), applied()
			if err := judging.remember(time.Now(), memo, desired(t, nil), live); err != nil {
				t.Fatal(err)
			}
			live = live.DeepCopy()
			if test.live != nil {
				live.ResourceVersion = "11"
				test.live(live)
			}
			wanted := desired(t, test.wanted)
			if got, err := judging.judge(time.Now(), memo, wanted, live); err != nil || got != test.with {
				t.Errorf("with a memo: %v, %v, want %v", got, err, test.with)
			}
			if got, err := judging.judge(time.Now(), new(Memo), wanted, live); err != nil || got != test.fresh {
				t.Errorf("without a memo: %v, %v, want %v", got, err, test.fresh)
			}
		})
	}
}

func TestJudgeRemembersWhatItFound(t *testing.T) {
	memo, live, wanted := new(Memo), applied(), desired(t, nil)
	for _, version := range []string{"10", "11", "12"} {
		live.ResourceVersion = version
		if got, err := judging.judge(time.Now(), memo, wanted, live); err != nil || got != converged {
			t.Fatalf("version %s: %v, %v", version, got, err)
		}
		if got := memo.last(wanted.Key()).version; got != version {
			t.Errorf("the memo has version %s, want %s", got, version)
		}
	}
	memo.Keep(time.Now(), map[Key]bool{})
	if len(memo.children) > 0 {
		t.Errorf("the memo still has %v", memo)
	}
}

func TestFieldManagerFitsTheAPIServer(t *testing.T) {
	if got := FieldManager("web", "example.com"); got != manager {
		t.Errorf("got %s, want %s", got, manager)
	}
	long := fmt.Sprintf("%0200d", 0)
	a, b := FieldManager("a", long), FieldManager("b", long)
	if len(a) > 128 || a == b {
		t.Errorf("long names give %s and %s", a, b)
	}
}
