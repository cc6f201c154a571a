package kubetypes_test

import (
	"slices"
	"testing"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

func TestLookup(t *testing.T) {
	tests := []struct {
		apiVersion, kind, plural, goPackage string
		namespaced                          bool
	}{
		{"v1", "Pod", "pods", "k8s.io/api/core/v1", true},
		{"v1", "Endpoints", "endpoints", "k8s.io/api/core/v1", true},
		{"v1", "Namespace", "namespaces", "k8s.io/api/core/v1", false},
		{"apps/v1", "Deployment", "deployments", "k8s.io/api/apps/v1", true},
		{"networking.k8s.io/v1", "Ingress", "ingresses", "k8s.io/api/networking/v1", true},
		{"networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", "k8s.io/api/networking/v1", true},
		{"rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", "k8s.io/api/rbac/v1", false},
		{"apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions",
			"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", false},
	}
	for _, tt := range tests {
		got, found := kubetypes.Lookup(tt.apiVersion, tt.kind)
		if !found {
			t.Errorf("%s %s: unknown", tt.apiVersion, tt.kind)
			continue
		}
		if got.Plural != tt.plural || got.GoPackage != tt.goPackage || got.Namespaced != tt.namespaced ||
			got.GoName != tt.kind || got.APIVersion() != tt.apiVersion {
			t.Errorf("%s %s: got %+v", tt.apiVersion, tt.kind, got)
		}
	}
}

func TestLookupUnknown(t *testing.T) {
	for _, k := range [][2]string{{"v1", "Deployment"}, {"apps/v1", "deployment"}, {"", ""}, {"a/b/c", "Pod"},
		{"authentication.k8s.io/v1", "TokenReview"},                    // cannot be stored, so nobody owns one
		{"apps/v1beta1", "Deployment"}, {"batch/v1beta1", "CronJob"}} { // no API server has them any more
		if got, found := kubetypes.Lookup(k[0], k[1]); found {
			t.Errorf("%v: got %+v", k, got)
		}
	}
}

func TestTypeByName(t *testing.T) {
	tests := []struct {
		name      string
		goPackage string
		form      kubetypes.Form
		copy      kubetypes.Copy
		property  string // one that its schema has, read through a reference where there is a dot
	}{
		{"core/v1.ResourceRequirements", "k8s.io/api/core/v1", kubetypes.Struct, kubetypes.CopyInto, "claims"},
		{"core/v1.PodTemplateSpec", "k8s.io/api/core/v1", kubetypes.Struct, kubetypes.CopyInto, "spec"},
		{"core/v1.LocalObjectReference", "k8s.io/api/core/v1", kubetypes.Struct, kubetypes.CopyAssign, "name"},
		{"core/v1.ResourceList", "k8s.io/api/core/v1", kubetypes.Map, kubetypes.CopyElements, ""},
		{"core/v1.PullPolicy", "k8s.io/api/core/v1", kubetypes.Scalar, kubetypes.CopyAssign, ""},
		{"meta/v1.Condition", "k8s.io/apimachinery/pkg/apis/meta/v1", kubetypes.Struct, kubetypes.CopyInto, "lastTransitionTime"},
		{"meta/v1.Time", "k8s.io/apimachinery/pkg/apis/meta/v1", kubetypes.Struct, kubetypes.CopyPointer, ""},
		{"meta/v1.Duration", "k8s.io/apimachinery/pkg/apis/meta/v1", kubetypes.Struct, kubetypes.CopyAssign, ""},
		{"resource.Quantity", "k8s.io/apimachinery/pkg/api/resource", kubetypes.Struct, kubetypes.CopyValue, ""},
		{"intstr.IntOrString", "k8s.io/apimachinery/pkg/util/intstr", kubetypes.Struct, kubetypes.CopyAssign, ""},
		{"runtime.RawExtension", "k8s.io/apimachinery/pkg/runtime", kubetypes.Struct, kubetypes.CopyInto, ""},
		{"apiextensions/v1.JSON", "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", kubetypes.Struct, kubetypes.CopyInto, ""},
	}
	for _, tt := range tests {
		got, found := kubetypes.TypeByName(tt.name)
		if !found {
			t.Errorf("%s: unknown", tt.name)
			continue
		}
		if got.GoPackage != tt.goPackage || got.Form != tt.form || got.Copy != tt.copy {
			t.Errorf("%s: got %s %s %s", tt.name, got.GoPackage, got.Form, got.Copy)
		}
		if _, has := got.Schema.Properties[tt.property]; tt.property != "" && !has {
			t.Errorf("%s: no property %s", tt.name, tt.property)
		}
	}
}

func TestTypeByNameOwnsItsSchema(t *testing.T) {
	first, _ := kubetypes.TypeByName("core/v1.PodSpec")
	delete(first.Schema.Properties["containers"].Items.Schema.Properties, "image")
	if _, has := first.Schema.Properties["initContainers"].Items.Schema.Properties["image"]; !has {
		t.Error("parts of one schema share memory")
	}
	second, _ := kubetypes.TypeByName("core/v1.PodSpec")
	if _, has := second.Schema.Properties["containers"].Items.Schema.Properties["image"]; !has {
		t.Error("two lookups share memory")
	}
}

func TestSuggest(t *testing.T) {
	for misspelt, want := range map[string]string{
		"core/v1.ResourceRequirement": "core/v1.ResourceRequirements",
		"core/v1.PodSpeck":            "core/v1.PodSpec",
		"zzzzzzzzzzzzzz":              "",
	} {
		if got := kubetypes.SuggestType(misspelt); got != want {
			t.Errorf("%s: got %q, want %q", misspelt, got, want)
		}
	}
	if got := kubetypes.SuggestKind("Deploymnt"); got != "Deployment" {
		t.Errorf("got %q", got)
	}
}

func BenchmarkTypeByName(b *testing.B) {
	for _, name := range []string{"meta/v1.Condition", "core/v1.ResourceRequirements", "core/v1.PodTemplateSpec"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				kubetypes.TypeByName(name)
			}
		})
	}
}

func TestLike(t *testing.T) {
	const path, name = "devicePath is the path inside of the container that the device will be\nmapped to. It was another.", "name must match the name of a persistentVolumeClaim in the pod"
	for _, tc := range []struct {
		given  string
		fields map[string]string
		want   []string
	}{
		{"another release's descriptions", map[string]string{"devicePath": path, "name": name}, []string{"core/v1.VolumeDevice"}},
		{"one field more", map[string]string{"devicePath": path, "name": name, "mode": "a"}, []string{"core/v1.VolumeDevice"}},
		{"no descriptions", map[string]string{"devicePath": "", "name": ""}, []string{"core/v1.AttachedVolume", "core/v1.VolumeDevice"}},
		{"other descriptions", map[string]string{"devicePath": "a", "name": "b"}, nil},
		{"half of the fields in common", map[string]string{"devicePath": "", "other": ""}, nil},
		{"nothing", nil, nil},
	} {
		if got := kubetypes.SimilarTypes(tc.fields); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.given, got, tc.want)
		}
	}
}

func TestReferring(t *testing.T) {
	template, found := kubetypes.Referring("core/v1.PodTemplateSpec")
	spec := template.Schema.Properties["spec"]
	if !found || spec.Ref == nil || *spec.Ref != "core/v1.PodSpec" || spec.Description == "" || spec.Properties != nil {
		t.Errorf("got %+v", spec)
	}
	if _, found := kubetypes.Referring("core/v1.PodSpeck"); found {
		t.Error("found what is not there")
	}
}

// Types are found by binary search in the archive.
func TestTypeNamesAreSorted(t *testing.T) {
	if names := kubetypes.TypeNames(); len(names) == 0 || !slices.IsSorted(names) {
		t.Errorf("the %d names of types are not sorted", len(names))
	}
}
