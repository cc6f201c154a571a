package operator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// What Sync sees elsewhere by its own selection stays untouched, unless the entry states the namespace.
func TestOnlyStatedNamespacesArePatched(t *testing.T) {
	t.Parallel()
	for name, stated := range map[string]bool{"selected by Sync": false, "stated": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var other string
			c := addPatching(t, nil, customDesire(func(req *customRequest, want *Desired) {
				for object := range req.Related.ConfigMaps.All() {
					want.Patches.ConfigMaps.Add(object, &corev1.ConfigMap{Data: map[string]string{"color": "red"}})
				}
			}), func(d *definition) {
				d.Related = func(related *Related) []operator.RelatedKind {
					entry := operator.RelatedKind{Object: &corev1.ConfigMap{}, Selector: "shared=yes", Patch: true, Fields: operator.BindRelated(&related.ConfigMaps)}
					if entry.Dynamic = !stated; stated {
						entry.Namespaces = []string{operator.AllNamespaces}
					} else {
						entry.Selector = ""
					}
					return []operator.RelatedKind{entry}
				}
				if !stated {
					d.Select = func(context.Context, *testapi.Site) ([][]operator.Selection, error) {
						return [][]operator.Selection{{{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"test": other}}, Namespaces: []string{other}}}}, nil
					}
				}
			}, func(o *operator.Options) { o.Namespaces = nil })
			other = c.elsewhere()
			object := shared("a")
			object.Namespace, object.Labels["test"] = other, other
			c.Create(object)
			site := c.site("web")
			if stated {
				c.hasData(object, "color=red,key=theirs")
				c.says(site, allReady)
				c.Delete(site)
				c.Gone(site)
			} else {
				c.saysPart(site, "ConfigMap "+other+"/a cannot be patched: it is not in the namespace of its parent")
			}
			c.hasData(object, "key=theirs")
			c.unpatched(object)
		})
	}
}

// An operator of one namespace cleans up there.
func TestPatchesInTheOnlyNamespace(t *testing.T) {
	t.Parallel()
	var namespace string
	c := addPatching(t, nil, customDesire(patchShared), nil, func(o *operator.Options) { namespace = o.Namespaces[0] })
	object := shared("a")
	c.Create(object)
	site := c.siteOf("web", "a:color=red")
	c.hasData(object, "color=red,key=theirs")
	c.Settled()
	c.Stop()
	c.forceAway(site)
	c.Restart()
	c.hasData(object, "key=theirs")
	c.unpatched(object)
	if namespace != c.Namespace {
		t.Errorf("the operator works in %q", namespace)
	}
}

// A parent that was another replica's share may live: what was patched for it stays.
func TestPatchesOfAShardStay(t *testing.T) {
	t.Parallel()
	c := addPatching(t, nil, customDesire(patchShared), nil, func(o *operator.Options) { o.ParentSelector = "!elsewhere" })
	object := shared("a")
	c.Create(object)
	site := c.siteOf("web", "a:color=red")
	c.hasData(object, "color=red,key=theirs")
	c.says(site, allReady)
	c.Settled()
	c.Update(site, func() { site.Labels["elsewhere"] = "" })
	c.Settled()
	c.Restart()
	c.Settled()
	c.hasData(object, "color=red,key=theirs")
	c.Update(site, func() { delete(site.Labels, "elsewhere") })
	c.Delete(site)
	c.Gone(site)
	c.unpatched(object)
}

// A disconnected parent leaves what it has patched as it is, and has no part in it any more.
func TestADisconnectedParentLeavesItsPatches(t *testing.T) {
	c := startPatching(t, customDesire(patchShared), nil)
	object := shared("a")
	c.Create(object)
	site := c.siteOf("web", "a:color=red")
	c.hasData(object, "color=red,key=theirs")
	c.says(site, allReady)
	c.Update(site, func() { metav1.SetMetaDataAnnotation(&site.ObjectMeta, c.group+"/disconnect", "true") })
	c.Eventually("the mark is gone", func() error {
		if c.Get(object); object.Labels["patched."+c.group+"/site"] != "" {
			return errors.New("it is not")
		}
		return nil
	})
	c.Settled()
	c.unpatched(object)
	c.hasData(object, "color=red,key=theirs")
	c.writeAs("stranger", object, func() { object.Data["color"] = "green" })
	c.Settled()
	c.hasData(object, "color=green,key=theirs")
	c.Delete(site)
	c.Gone(site)
	c.hasData(object, "color=green,key=theirs")
}

// A deselected parent is none any more.
func TestADeselectedParentLosesItsPatches(t *testing.T) {
	c := startPatching(t, customDesire(patchShared), nil)
	object := shared("a")
	c.Create(object)
	site := c.siteOf("web", "a:color=red")
	c.hasData(object, "color=red,key=theirs")
	c.says(site, allReady)
	c.Update(site, func() { site.Labels = nil })
	c.hasData(object, "key=theirs")
	c.unpatched(object)
}

// Finalize may go on patching. With Finalized, nothing stays.
func TestFinalizePatches(t *testing.T) {
	c := startPatching(t, customDesire(patchShared), func(d *definition) {
		d.Finalize = func(_ context.Context, req *customRequest) (*Response, error) {
			want := new(Desired)
			object, _ := req.Related.ConfigMaps.Get("a")
			want.Patches.ConfigMaps.Add(object, &corev1.ConfigMap{Data: map[string]string{"last": "words"}})
			return &Response{Children: want, Finalized: object.Data["enough"] != ""}, nil
		}
	})
	object := shared("a")
	c.Create(object)
	site := c.siteOf("web", "a:color=red")
	c.hasData(object, "color=red,key=theirs")
	c.says(site, allReady)
	c.Delete(site)
	c.hasData(object, "key=theirs,last=words")
	c.Update(object, func() { object.Data["enough"] = "yes" })
	c.Gone(site)
	c.hasData(object, "enough=yes,key=theirs")
	c.unpatched(object)
}

// A claim that a StatefulSet made has a size that the parent says. It does not shrink: the size stays, and
// nothing keeps the parent.
func TestTheSizeOfAClaim(t *testing.T) {
	c := startPatching(t, customDesire(func(req *customRequest, want *Desired) {
		if claim, ok := req.Related.Claims.Get("data-web-0"); ok && req.Parent.Spec.Text != "" {
			want.Patches.Claims.Add(claim, &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(req.Parent.Spec.Text)},
			}}})
		}
	}), func(d *definition) {
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{{Object: &corev1.PersistentVolumeClaim{}, Selector: "app=db", Patch: true, Fields: operator.BindRelated(&related.Claims)}}
		}
		d.Patches = func(desired *Desired) []operator.Patches {
			return []operator.Patches{operator.BindPatches(&desired.Patches.Claims)}
		}
	})
	expands, class := true, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "grows-" + c.Namespace}, Provisioner: "example.com/none"}
	class.AllowVolumeExpansion = &expands
	if err := c.Client.Create(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Client.Delete(context.Background(), class) })
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data-web-0", Labels: map[string]string{"app": "db"}},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: &class.Name, VolumeName: "none",
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	}
	c.Create(claim)
	c.UpdateStatus(claim, func() { claim.Status.Phase = corev1.ClaimBound })
	hasSize := func(size string) {
		t.Helper()
		c.Eventually("the claim asks for "+size, func() error {
			c.Get(claim)
			if is := claim.Spec.Resources.Requests.Storage(); is.Cmp(resource.MustParse(size)) != 0 {
				return fmt.Errorf("it asks for %s", is)
			}
			return nil
		})
	}
	hasSize("1Gi")
	site := c.siteOf("web", "2048Mi")
	hasSize("2Gi")
	c.says(site, allReady)
	c.UpdateStatus(claim, func() { // the volume has grown
		claim.Status.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")}
	})
	settled := c.Settled()
	c.Restart()
	c.Reconciled(site)
	if c.Settled(); patchesSince(c, settled) != 0 {
		t.Errorf("a restart writes the claim %d times", patchesSince(c, settled))
	}
	c.touch(site, "1Gi")
	c.saysPart(site, "PersistentVolumeClaim "+c.Namespace+"/data-web-0", "spec.resources.requests.storage")
	c.Delete(site)
	c.Gone(site)
	hasSize("2Gi")
	for _, entry := range claim.ManagedFields {
		if strings.HasPrefix(entry.Manager, "opgen/") {
			t.Errorf("%s still has fields", entry.Manager)
		}
	}
	if len(claim.Annotations["patched."+c.group+"/"+string(site.UID)]) > 0 || claim.Labels["patched."+c.group+"/site"] != "" {
		t.Errorf("the claim is still marked: %v", claim.ObjectMeta)
	}
}

// patchesSince returns how often claims were patched since n of all requests.
func patchesSince(c *custom, n int) (count int) {
	for _, request := range c.Requests()[n:] {
		if request.Verb == "patch" && request.Resource == "persistentvolumeclaims" {
			count++
		}
	}
	return count
}

// With the metadata alone in memory, labels are patched and repaired, and other fields refused.
func TestPatchesWithMetadataInMemory(t *testing.T) {
	type lean struct {
		ConfigMaps operator.Snapshot[*metav1.PartialObjectMetadata]
	}
	type leanPatches struct {
		ConfigMaps operator.PatchSet[*metav1.PartialObjectMetadata]
	}
	type leanRequest = operator.Request[*testapi.Site, struct{}, lean]
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			return []operator.Controller{operator.NewController(operator.Definition[*testapi.Site, testapi.Status, struct{}, leanPatches, lean]{
				Name: "site", Group: testapi.Version.Group, Parents: []operator.ParentKind{{Object: &testapi.Site{}}},
				Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
				Related: func(related *lean) []operator.RelatedKind {
					return []operator.RelatedKind{{Object: &corev1.ConfigMap{}, Selector: "shared=yes", Metadata: true, Patch: true, Fields: operator.BindRelated(&related.ConfigMaps)}}
				},
				Patches: func(desired *leanPatches) []operator.Patches {
					return []operator.Patches{operator.BindPatches(&desired.ConfigMaps)}
				},
				Status:     func(s *testapi.Site) *testapi.Status { return &s.Status },
				Conditions: func(s *testapi.Status) *[]metav1.Condition { return &s.Conditions },
				Sync: func(_ context.Context, req *leanRequest) (*operator.Response[leanPatches, testapi.Status], error) {
					want := new(leanPatches)
					for object := range req.Related.ConfigMaps.All() {
						want.ConfigMaps.Add(object, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"role": req.Parent.Spec.Text}}})
					}
					return &operator.Response[leanPatches, testapi.Status]{Children: want}, nil
				},
			})}, nil
		},
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
	})
	object, parent := shared("a"), site("web")
	parent.Spec.Text = "primary"
	cluster.Create(object, parent)
	hasRole := func(role string) {
		t.Helper()
		cluster.Eventually("the role is "+role, func() error {
			if cluster.Get(object); object.Labels["role"] != role {
				return fmt.Errorf("it is %v", object.Labels)
			}
			return nil
		})
	}
	hasRole("primary")
	settled := cluster.Settled()
	cluster.Update(object, func() { object.Labels["role"] = "else" })
	hasRole("primary")
	cluster.Settled()
	cluster.Restart()
	cluster.Reconciled(parent)
	cluster.Settled()
	var reads int
	for _, request := range cluster.Requests()[settled:] {
		if request.Resource == "configmaps" && request.Verb == "get" {
			reads++
		}
	}
	if reads > 0 {
		t.Errorf("%d live reads", reads)
	}
	cluster.Delete(parent)
	cluster.Gone(parent)
	hasRole("")
}
