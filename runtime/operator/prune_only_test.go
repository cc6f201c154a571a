package operator_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// The CRD of a kind that is only pruned may be gone, whatever its place among the kinds.
func TestPruneOnlyKindThatIsNotServedIsPassedOver(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("web", req.Parent.Spec.Text))
		if observed, ok := req.Children.ConfigMaps.Get("web"); ok {
			want.Secrets.Add(named(&corev1.Secret{}, "saw-"+observed.Data["key"]))
		}
	}), func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			gone := operator.ChildKind{Object: operator.Unstructured("example.com/v1", "Nowhere"), PruneOnly: true}
			described := []operator.ChildKind{gone}
			for _, kind := range kinds(observed, desired) {
				described = append(described, kind, gone)
			}
			return described
		}
		d.Finalize = func(_ context.Context, req *customRequest) (*Response, error) {
			return &Response{Children: new(Desired), Finalized: req.Children.ConfigMaps.Len() == 0}, nil
		}
	})
	site, child, secret := c.site("web"), configMap("web", ""), named(&corev1.Secret{}, "saw-hello")
	c.Exists(child, secret)
	c.touch(site, "two")
	c.Gone(secret)
	c.Exists(named(&corev1.Secret{}, "saw-two"))
	c.Restart()
	c.Delete(site)
	c.Gone(site, child)
}
