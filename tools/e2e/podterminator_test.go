package e2e

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 4
  selector: {matchLabels: {app: NAMESPACE}}
  template:
    metadata: {labels: {app: NAMESPACE}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: app
        image: IMAGE
        readinessProbe: {httpGet: {port: 3000}, periodSeconds: 1}`

const terminator = `
apiVersion: chaos.example.com/v1alpha1
kind: PodTerminator
metadata: {name: NAMESPACE}
spec:
  selector: {app: NAMESPACE}
  periodSeconds: 3
  minimumInstances: 1`

func TestPodTerminator(t *testing.T) {
	t.Parallel()
	p := newProject(t, "pod-terminator")
	p.onePlatform(t)
	image := p.pushApp(t)
	p.deploy(t, "install")
	namespace := p.newNamespace(t)
	fill := strings.NewReplacer("NAMESPACE", namespace, "IMAGE", image)
	p.create(t, namespace, fill.Replace(web))
	history := p.observe(t, namespace)
	parent := p.create(t, "", fill.Replace(terminator))

	// The operator's Pod is killed between runs or in one, and hands its work over later.
	p.awaitTerminated(t, parent, 2)
	p.kill(t)
	p.awaitTerminated(t, parent, p.statusOf(t, parent, "terminated")+3)
	p.handOver(t)
	p.awaitTerminated(t, parent, p.statusOf(t, parent, "terminated")+3)
	p.stop(t, parent, history)

	// A newer operator goes on where the older one was.
	before := p.statusOf(t, parent, "terminated")
	p.edit(t, "internal/podterminator/sync.go", "Reason: \"Stopped\"", "Reason: \"Ended\"")
	p.deploy(t)
	p.patch(t, parent, `{"spec":{"dryRun":false}}`)
	p.awaitTerminated(t, parent, before+1)
	p.stop(t, parent, history)
	p.deleteAndWait(t, parent)
	p.remove(t)
}

func (p *project) awaitTerminated(t *testing.T, parent *unstructured.Unstructured, count int64) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d Pods are terminated", count), func() error {
		if done := p.statusOf(t, parent, "terminated"); done < count {
			return fmt.Errorf("%d are", done)
		}
		return nil
	})
}

// stop ends the runs, and expects that the status counts each Pod that has ended, once.
func (p *project) stop(t *testing.T, parent *unstructured.Unstructured, history *podHistory) {
	t.Helper()
	p.patch(t, parent, `{"spec":{"dryRun":true}}`)
	eventually(t, "the status counts each Pod that has ended", func() error {
		counted := p.statusOf(t, parent, "terminated")
		if generation := p.statusOf(t, parent, "generation"); generation != parent.GetGeneration() {
			return fmt.Errorf("the operator has not seen the change")
		}
		if _, ended, _ := history.counts(); int64(ended) != counted {
			return fmt.Errorf("%d Pods have ended, and the status counts %d", ended, counted)
		}
		return nil
	})
}

// statusOf returns a number in the status of an object, as it is now.
func (c cluster) statusOf(t *testing.T, object *unstructured.Unstructured, field string) int64 {
	t.Helper()
	if err := c.api.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
		t.Fatal(err)
	}
	number, _, _ := unstructured.NestedInt64(object.Object, "status", field)
	return number
}
