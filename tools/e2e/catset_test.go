package e2e

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const catSet = `
apiVersion: ctl.example.com/v1
kind: CatSet
metadata: {name: cats}
spec:
  replicas: 3
  serviceName: cats
  template:
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: app
        image: IMAGE
        env: [{name: SERVICE_NAME, value: first}]
        ports: [{name: http, containerPort: 3000}]
        volumeMounts: [{name: data, mountPath: /data}]
        readinessProbe: {httpGet: {port: http}, periodSeconds: 1}
  volumeClaimTemplates:
  - {name: data, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Mi}}}}`

// changeOfTemplate gives every Pod another environment.
const changeOfTemplate = `{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"IMAGE","env":[{"name":"SERVICE_NAME","value":"second"}],
"ports":[{"name":"http","containerPort":3000}],"volumeMounts":[{"name":"data","mountPath":"/data"}],
"readinessProbe":{"httpGet":{"port":"http"},"periodSeconds":1}}]}}}}`

func TestCatSet(t *testing.T) {
	t.Parallel()
	p := newProject(t, "catset")
	p.onePlatform(t)
	image := p.pushApp(t)
	p.deploy(t, "install")
	namespace := p.newNamespace(t)
	cats := p.create(t, namespace, strings.ReplaceAll(catSet, "IMAGE", image))
	p.awaitCats(t, namespace, "first", 1)
	claims := p.claims(t, namespace)

	// A change of the template replaces one Pod after the other, while the operator's Pod is killed.
	history := p.observe(t, namespace)
	p.patch(t, cats, strings.ReplaceAll(changeOfTemplate, "IMAGE", image))
	eventually(t, "the roll has begun", func() error {
		if _, ended, _ := history.counts(); ended == 0 {
			return fmt.Errorf("no Pod has ended")
		}
		return nil
	})
	p.kill(t)
	p.awaitCats(t, namespace, "second", 2)
	if created, ended, unavailable := history.counts(); created != 3 || ended != 3 || unavailable != 1 {
		t.Errorf("%d Pods were created, %d have ended and %d were unavailable at a time, expected 3, 3 and 1", created, ended, unavailable)
	}

	// It hands its work over while a Pod is added.
	p.patch(t, cats, `{"spec":{"replicas":4}}`)
	p.handOver(t)
	p.awaitCats(t, namespace, "second", 2)
	p.awaitCat(t, namespace, 3, "second", 1)
	if created, ended, _ := history.counts(); created != 4 || ended != 3 {
		t.Errorf("%d Pods were created and %d have ended, expected 4 and 3", created, ended)
	}

	// A newer operator adds a label to what Pods and claims are made with: the Pods roll, and the claims stay as they are.
	rolled := p.observe(t, namespace)
	p.edit(t, "internal/catset/pods.go", "spec.Hostname, spec.Subdomain = name, set.Spec.ServiceName",
		`spec.Hostname, spec.Subdomain = name, set.Spec.ServiceName
		spec.TerminationGracePeriodSeconds = new(int64(2))`)
	p.deploy(t)
	p.awaitCats(t, namespace, "second", 3)
	p.awaitCat(t, namespace, 3, "second", 2)
	if created, ended, unavailable := rolled.counts(); created != 4 || ended != 4 || unavailable != 1 {
		t.Errorf("%d Pods were created, %d have ended and %d were unavailable at a time, expected 4, 4 and 1", created, ended, unavailable)
	}
	p.expectClaims(t, namespace, claims)

	// The Pods go with their parent, and the data stays.
	p.deleteAndWait(t, cats)
	if pods, err := p.podsIn(t.Context(), namespace, nil); err != nil || len(pods) > 0 {
		t.Errorf("%d Pods outlive the CatSet (error: %v)", len(pods), err)
	}
	p.remove(t)
	p.expectClaims(t, namespace, claims)
}

// awaitCats waits until each of the first three Pods is ready and says its name, and the starts that its volume has seen.
func (p *project) awaitCats(t *testing.T, namespace, name string, starts int) {
	t.Helper()
	for ordinal := range 3 {
		p.awaitCat(t, namespace, ordinal, name, starts)
	}
}

func (p *project) awaitCat(t *testing.T, namespace string, ordinal int, name string, starts int) {
	t.Helper()
	pod := fmt.Sprintf("cats-%d", ordinal)
	expected := fmt.Sprintf("%s %s\n%s", name, pod, strings.Repeat(pod+"\n", starts))
	eventually(t, pod+" answers", func() error {
		pods, err := p.podsIn(t.Context(), namespace, client.MatchingLabels{"ctl.example.com/name": "cats"})
		if err != nil {
			return err
		}
		if !isReady(pods[pod]) {
			return fmt.Errorf("it is not ready: %v", pods[pod].Status.ContainerStatuses)
		}
		answer, err := p.ask(namespace, "pods", pod, "3000", "")
		if err == nil && answer != expected {
			err = fmt.Errorf("it says %q, expected %q", answer, expected)
		}
		return err
	})
}

// claims returns the claims of a namespace, by name.
func (p *project) claims(t *testing.T, namespace string) map[string]corev1.PersistentVolumeClaim {
	t.Helper()
	var list corev1.PersistentVolumeClaimList
	if err := p.api.List(t.Context(), &list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	claims := map[string]corev1.PersistentVolumeClaim{}
	for _, claim := range list.Items {
		claims[claim.Name] = claim
	}
	return claims
}

// expectClaims fails if one of the claims is gone or was recreated.
func (p *project) expectClaims(t *testing.T, namespace string, expected map[string]corev1.PersistentVolumeClaim) {
	t.Helper()
	found := p.claims(t, namespace)
	for name, claim := range expected {
		if found[name].UID != claim.UID || found[name].Spec.VolumeName != claim.Spec.VolumeName {
			t.Errorf("claim %s is another one", name)
		}
	}
}
