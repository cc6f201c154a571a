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

// The Go packages whose types spec files can name.
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

// kindMarkers are what Kubernetes' own generators read: they tell kinds from other types, their scope, and whether
// any API server still has them.
var kindMarkers = []string{"genclient", "genclient:nonNamespaced", "genclient:noVerbs", "genclient:onlyVerbs", removedMarker}

// kube is Kubernetes' Go packages, loaded.
type kube struct {
	packages []*loader.Package
	parser   *crd.Parser
}

// load reads the packages. The schemas that are made of them name the fields of metadata where an object holds another,
// or else say that it is an object, which is all that controller-gen says of it by default.
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

// group returns the API group that a package declares, false when it is no API package.
func group(p *loader.Package) (string, bool) {
	name, ok := p.Types.Scope().Lookup("GroupName").(*types.Const)
	if !ok {
		return "", false
	}
	return constant.StringVal(name.Val()), true
}

// packageErrors returns how many errors controller-tools has recorded so far.
func (k *kube) packageErrors() int {
	n := 0
	for _, p := range k.packages {
		n += len(p.Errors)
	}
	return n
}
