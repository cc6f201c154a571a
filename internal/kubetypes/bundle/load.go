package main

import (
	"go/constant"
	"go/types"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// roots are the Go packages whose types spec files can name.
var roots = []string{
	"k8s.io/api/...",
	"k8s.io/apimachinery/pkg/apis/meta/v1",
	"k8s.io/apimachinery/pkg/api/resource",
	"k8s.io/apimachinery/pkg/runtime",
	"k8s.io/apimachinery/pkg/util/intstr",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
}

// removedMarker says in which release of Kubernetes a kind was removed.
const removedMarker = "k8s:prerelease-lifecycle-gen:removed"

// kindMarkers are markers of Kubernetes' own generators. They say which types are kinds, whether a
// kind is namespaced, and in which release it was removed.
var kindMarkers = []string{"genclient", "genclient:nonNamespaced", "genclient:noVerbs", "genclient:onlyVerbs", removedMarker}

// kube is the loaded Go packages of Kubernetes.
type kube struct {
	packages []*loader.Package
	parser   *crd.Parser
}

// load reads the packages. With embeddedMetadata, schemas name the metadata fields of embedded
// objects; without it they only say that metadata is an object, which is controller-gen's default.
func load(embeddedMetadata bool) (*kube, error) {
	packages, err := loader.LoadRoots(roots...)
	if err != nil {
		return nil, err
	}
	packages = slices.DeleteFunc(packages, func(p *loader.Package) bool { return len(p.GoFiles) == 0 })
	slices.SortFunc(packages, func(a, b *loader.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		return nil, err
	}
	for _, name := range kindMarkers {
		def, err := markers.MakeDefinition(name, markers.DescribesType, markers.RawArguments(nil))
		if err != nil {
			return nil, err
		}
		def.Strict = false // most have no arguments
		if err := registry.Register(def); err != nil {
			return nil, err
		}
	}
	k := &kube{packages: packages, parser: &crd.Parser{
		Collector:              &markers.Collector{Registry: registry},
		Checker:                &loader.TypeChecker{NodeFilters: []loader.NodeFilter{crd.Generator{}.CheckFilter()}},
		AllowDangerousTypes:    true, // some fields of Kubernetes are floats
		IgnoreUnexportedFields: true,

		GenerateEmbeddedObjectMeta: embeddedMetadata,
	}}
	crd.AddKnownTypes(k.parser)
	for _, p := range packages {
		k.parser.NeedPackage(p)
		p.NeedTypesInfo()
	}
	return k, nil
}

// groupOf returns the API group that a package declares, and whether it declares one.
func groupOf(p *loader.Package) (string, bool) {
	name, ok := p.Types.Scope().Lookup("GroupName").(*types.Const)
	if !ok {
		return "", false
	}
	return constant.StringVal(name.Val()), true
}

// countErrors returns how many errors controller-tools has recorded so far. The difference before
// and after a type says whether the type has errors, because controller-tools does not.
func (k *kube) countErrors() int {
	n := 0
	for _, p := range k.packages {
		n += len(p.Errors)
	}
	return n
}
