package operator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// What cannot be read blocks Sync, and keeps no parent from going.
func TestFinalizeRunsThoughWhatItReadsCannotBeFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		entry  operator.RelatedKind
		choose func(context.Context, *testapi.Site) ([][]operator.Selection, error)
		says   string
	}{
		{"selector", operator.RelatedKind{SelectorFrom: ".metadata.annotations"}, nil, "no label has this value"},
		{"path", operator.RelatedKind{NameFrom: ".metadata.labels"}, nil, ".metadata.labels"},
		{"namespace", operator.RelatedKind{Name: "settings", Namespaces: []string{"kube-system"}}, nil, "outside of the only namespace"},
		{"method", operator.RelatedKind{Dynamic: true}, func(context.Context, *testapi.Site) ([][]operator.Selection, error) {
			return nil, errors.New("no such thing")
		}, "no such thing"},
		{"method that waits for a change", operator.RelatedKind{Dynamic: true}, func(context.Context, *testapi.Site) ([][]operator.Selection, error) {
			return nil, reconcile.TerminalError(errors.New("never"))
		}, "never"},
	} {
		t.Run(test.name, func(t *testing.T) {
			seen := make(chan string, 100)
			c := startCustomIn(t, customDesire(func(*customRequest, *Desired) {}), func(d *definition) {
				d.Related = func(related *Related) []operator.RelatedKind {
					broken := test.entry
					broken.Object, broken.Fields = &corev1.ConfigMap{}, operator.BindRelated(&related.ConfigMaps)
					return []operator.RelatedKind{broken, {
						Object: &corev1.Namespace{}, Selector: "kubernetes.io/metadata.name=default", Fields: operator.BindRelated(&related.Namespaces),
					}}
				}
				d.Select = test.choose
				d.Finalize = func(_ context.Context, req *customRequest) (*Response, error) {
					seen <- fmt.Sprintf("%d %d", req.Related.ConfigMaps.Len(), req.Related.Namespaces.Len())
					return &Response{Finalized: true}, nil
				}
			}, func(o *operator.Options) {
				if test.name != "namespace" {
					o.Namespaces = nil
				}
			})
			site := site("web")
			site.Labels, site.Annotations = map[string]string{c.group: ""}, map[string]string{"owner": "no label has this value"}
			site.Finalizers = []string{c.group + "/finalizer"}
			c.Create(site)
			c.Eventually("Sync is refused", func() error {
				c.Get(site)
				shown := meta.FindStatusCondition(site.Status.Conditions, "Ready")
				if shown == nil || shown.Status != metav1.ConditionFalse || !strings.Contains(shown.Message, test.says) {
					return fmt.Errorf("Ready is %+v", shown)
				}
				return nil
			})
			c.Delete(site)
			c.Gone(site)
			if got := <-seen; got != "0 1" {
				t.Errorf("Finalize saw %s objects, want none and the namespace", got)
			}
		})
	}
}
