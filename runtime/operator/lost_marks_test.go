package operator_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// strips are the ways in which a child loses its marks.
var strips = map[string]func(child *corev1.ConfigMap, label string){
	"label":        func(child *corev1.ConfigMap, label string) { delete(child.Labels, label) },
	"label edited": func(child *corev1.ConfigMap, label string) { child.Labels[label] = "edited" },
	"reference":    func(child *corev1.ConfigMap, _ string) { child.OwnerReferences = nil },
	"annotation":   func(child *corev1.ConfigMap, _ string) { child.Annotations = nil },
	"all": func(child *corev1.ConfigMap, _ string) {
		child.Labels, child.Annotations, child.OwnerReferences = nil, nil, nil
	},
}

// A Sync that makes a password if there is none must never take one for absent that only has lost
// its marks.
func TestChildWithoutMarksIsNeverAbsent(t *testing.T) {
	t.Parallel()
	for name, strip := range strips {
		for _, options := range [][]operator.ChildOption{nil, orphaned} {
			if name == "annotation" && options == nil || name == "reference" && options != nil {
				continue
			}
			t.Run(fmt.Sprint(name, options), func(t *testing.T) {
				var made atomic.Int64
				c := startCustom(t, generatePassword(&made, options...), nil)
				site, password := c.site("web"), configMap("password", "")
				c.says(site, allReady)
				c.Exists(password)
				for range 2 {
					c.Settled()
					version := password.ResourceVersion
					c.Update(password, func() { strip(password, c.group+"/site") })
					c.Eventually("it has its marks again", func() error {
						if c.Get(password); password.Labels[c.group+"/site"] != string(site.UID) || password.ResourceVersion == version ||
							len(password.OwnerReferences)+len(password.Annotations) == 0 {
							return fmt.Errorf("it has %v", password.ObjectMeta)
						}
						return nil
					})
				}
				c.Settled()
				if made.Load() != 1 || password.Data["key"] != "1" {
					t.Errorf("%d passwords were made; it is %v", made.Load(), password.Data)
				}
			})
		}
	}
}

// generatePassword returns a Sync that makes a password if it has none, and a child that is another
// with each password.
func generatePassword(made *atomic.Int64, options ...operator.ChildOption) customFunction {
	return customDesire(func(req *customRequest, want *Desired) {
		password, ok := req.Children.ConfigMaps.Get("password")
		if !ok {
			password = configMap("password", fmt.Sprint(made.Add(1)))
		}
		want.ConfigMaps.Add(configMap("password", password.Data["key"]), options...)
		want.ConfigMaps.Add(configMap("a-node", password.Data["key"]))
	})
}

// After a restart nobody knows that there was a child: the create finds it, and the rest of the
// answer of that Sync is not carried out.
func TestChildThatLostItsMarksDuringAStop(t *testing.T) {
	t.Parallel()
	for name, strip := range strips {
		for _, options := range [][]operator.ChildOption{nil, orphaned} {
			if name == "annotation" && options == nil || name == "reference" && options != nil || name == "all" {
				continue
			}
			t.Run(fmt.Sprint(name, options), func(t *testing.T) {
				var made atomic.Int64
				c := startCustom(t, generatePassword(&made, options...), nil)
				site, password, node := c.site("web"), configMap("password", ""), configMap("a-node", "")
				c.says(site, allReady)
				c.Exists(password, node)
				c.Settled()
				c.Stop()
				c.Update(password, func() { strip(password, c.group+"/site") })
				c.Restart()
				c.belongs(password, site)
				c.says(site, allReady)
				c.Settled()
				version := node.ResourceVersion
				if c.Get(node); password.Data["key"] != "1" || node.ResourceVersion != version {
					t.Errorf("the password is %v, and the node restarted: %v", password.Data, node.ResourceVersion != version)
				}
			})
		}
	}
}

func TestChildWithoutManagedFieldsStaysAChild(t *testing.T) {
	t.Parallel()
	for _, options := range [][]operator.ChildOption{nil, orphaned} {
		t.Run(fmt.Sprint(options), func(t *testing.T) {
			var made atomic.Int64
			c := startCustom(t, generatePassword(&made, options...), nil)
			site, password := c.site("web"), configMap("password", "")
			c.says(site, allReady)
			c.Exists(password)
			c.Settled()
			for _, stopped := range []bool{false, true} {
				if stopped {
					c.Stop()
				}
				c.clearManagedFields(password)
				c.Update(password, func() { metav1.SetMetaDataAnnotation(&password.ObjectMeta, "seen", fmt.Sprint(stopped)) })
				if stopped {
					c.Restart()
				}
				c.Settled()
			}
			if made.Load() != 1 {
				t.Errorf("%d passwords were made", made.Load())
			}
			c.setSync(customDesire(func(*customRequest, *Desired) {}))
			c.touch(site, "nothing")
			if options == nil {
				c.Gone(password)
			} else {
				c.expectOrphaned(password)
			}
		})
	}
}

// clearManagedFields does what the message of a name conflict advises.
func (c *custom) clearManagedFields(object client.Object) {
	c.t.Helper()
	patch := client.RawPatch(types.JSONPatchType, []byte(`[{"op":"replace","path":"/metadata/managedFields","value":[{}]}]`))
	if err := c.Client.Patch(c.t.Context(), object, patch); err != nil {
		c.t.Fatal(err)
	}
}
