package main

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// kinds returns the kinds that can be stored, which are the ones an operator can own: those for which
// Kubernetes has a client that is not limited to some verbs.
func (k *kube) kinds() ([]kubetypes.Kind, error) {
	var kinds []kubetypes.Kind
	for _, p := range k.packages {
		groupName, ok := group(p)
		if !ok {
			continue
		}
		err := markers.EachType(k.parser.Collector, p, func(info *markers.TypeInfo) {
			if stored(info.Markers) {
				kinds = append(kinds, kind(p, groupName, info))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(kinds, kubetypes.CompareKinds)
	return kinds, nil
}

func stored(m markers.MarkerValues) bool {
	return m.Get("genclient") != nil && m.Get("genclient:noVerbs") == nil && m.Get("genclient:onlyVerbs") == nil &&
		!removed(m)
}

// oldest is the oldest release of Kubernetes that a project can name as its minKubernetes.
var oldest = version.MustParseGeneric("1.29")

// removed reports whether no supported API server has the kind any more.
func removed(m markers.MarkerValues) bool {
	release, ok := m.Get(removedMarker).(markers.RawArguments)
	if !ok {
		return false
	}
	in, err := version.ParseGeneric(string(release))
	return err == nil && !oldest.LessThan(in)
}

func kind(p *loader.Package, group string, info *markers.TypeInfo) kubetypes.Kind {
	gvk := schema.GroupVersionKind{Group: group, Version: p.Name, Kind: info.Name}
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	return kubetypes.Kind{
		Group: group, Version: gvk.Version, Kind: gvk.Kind, Plural: plural.Resource,
		Namespaced: info.Markers.Get("genclient:nonNamespaced") == nil,
		GoPackage:  loader.NonVendorPath(p.PkgPath), GoName: info.Name,
	}
}
