package operator_test

import (
	"context"
	"fmt"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A parent that is connected again has every child again that it had, before Sync is called: also those
// that Sync only keeps because they exist, such as the runs of a history. What it does not want any more goes,
// as it would have gone without.
func TestParentThatIsConnectedAgainHasAlsoTheChildrenThatSyncOnlyKeeps(t *testing.T) {
	t.Parallel()
	for name, restarts := range map[string]bool{"while the operator runs": false, "after a restart": true} {
		t.Run(name, func(t *testing.T) {
			runs, seen := []string{"run-1", "run-2", "dropped"}, make(chan string, 1000)
			sync := func(_ context.Context, req *Request) (*Response, error) {
				want, shown := new(Desired), ""
				for _, run := range runs {
					if _, ok := req.Children.ConfigMaps.Get(run); ok {
						shown += run + " "
					}
					switch {
					case req.Parent.Spec.Text == "hello":
						want.ConfigMaps.Add(configMap(run, ""))
					case run != "dropped":
						want.ConfigMaps.Keep(run)
					}
				}
				want.ConfigMaps.Add(configMap("web", ""))
				if req.Parent.Spec.Text != "hello" {
					seen <- shown
				}
				return &Response{Children: want}, nil
			}
			f := start(t, &author{sync: sync})
			f.status("Ready", "Ready")
			children := []client.Object{configMap("web", ""), configMap("run-1", ""), configMap("run-2", ""), configMap("dropped", "")}
			f.Exists(children...)
			f.annotate(disconnectKey, "true")
			f.status("Suspended", "Disconnected")
			f.Get(f.site)
			f.Update(f.site, func() { f.site.Spec.Text = "runs are kept from now on" })
			f.Settled()
			if restarts {
				f.Restart()
			}
			f.annotate(disconnectKey, "")
			f.Gone(children[3])
			f.Eventually("the children are the parent's again", func() error {
				for _, child := range children[:3] {
					uid := child.GetUID()
					f.Get(child)
					if _, former := child.GetAnnotations()[formerKey]; child.GetUID() != uid || former || len(child.GetOwnerReferences()) != 1 {
						return fmt.Errorf("%s: UID %s, before %s; owners %v, annotations %v", child.GetName(), child.GetUID(), uid, child.GetOwnerReferences(), child.GetAnnotations())
					}
				}
				return nil
			})
			if first := <-seen; first != "run-1 run-2 dropped " {
				t.Errorf("the first call of Sync saw %q", first)
			}
			f.Converged(f.site)
			f.Delete(f.site)
			f.Gone(children[:3]...)
		})
	}
}
