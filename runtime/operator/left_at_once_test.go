package operator_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// A child that others delete, or take the label off, before the answer to its creation has come, is there again at once: the
// watch has shown that it left, so that nobody waits for a cache to show it. The clock stands still, so that a wait has no end.
func TestChildThatLeavesBeforeTheAnswerToItsCreation(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*custom, *corev1.ConfigMap) error{
		"deleted": func(c *custom, child *corev1.ConfigMap) error { return c.Client.Delete(t.Context(), child) },
		"label taken off": func(c *custom, child *corev1.ConfigMap) error {
			return c.Client.Patch(t.Context(), child, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":null}}`)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c *custom
			var acted atomic.Bool
			afterCreation := func(next http.RoundTripper) http.RoundTripper {
				return roundTrip(func(request *http.Request) (*http.Response, error) {
					response, err := next.RoundTrip(request)
					if request.Method != http.MethodPost || !strings.HasSuffix(request.URL.Path, "/configmaps") || !acted.CompareAndSwap(false, true) {
						return response, err
					}
					if err := act(c, configMapAs(c.Namespace, "one", "")); err != nil {
						t.Error(err)
					}
					time.Sleep(200 * time.Millisecond) // the watch tells of it before the answer comes
					return response, err
				})
			}
			c = addCustomWith(t, func(config *operatortest.Config) { config.Transport = afterCreation }, customDesire(func(_ *customRequest, want *Desired) {
				want.ConfigMaps.Add(configMap("one", "a"))
			}), nil, func(*operator.Options) {})
			c.StopClock()
			site := c.site("web")
			c.says(site, allReady)
			c.Exists(configMap("one", "a"))
			c.Converged(site)
		})
	}
}
