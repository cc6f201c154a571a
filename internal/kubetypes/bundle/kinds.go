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

// kinds returns the kinds that an operator can own. These are the kinds whose objects the API
// server stores, in contrast to requests such as TokenReview, which can only be created.
func (k *kube) kinds() ([]kubetypes.Kind, error) {
	var kinds []kubetypes.Kind
	for _, p := range k.packages {
		groupName, ok := groupOf(p)
		if !ok {
			continue
		}
		err := markers.EachType(k.parser.Collector, p, func(info *markers.TypeInfo) {
			if isOwnable(info.Markers) {
				kinds = append(kinds, newKind(p, groupName, info))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(kinds, kubetypes.CompareKinds)
	return kinds, nil
}

// isOwnable reports whether Kubernetes has a client with all verbs for a kind, and still serves it.
func isOwnable(m markers.MarkerValues) bool {
	return m.Get("genclient") != nil && m.Get("genclient:noVerbs") == nil && m.Get("genclient:onlyVerbs") == nil &&
		!isRemoved(m)
}

// oldest is the oldest release of Kubernetes that a project can name as its minKubernetes.
var oldest = version.MustParseGeneric("1.29")

// isRemoved reports whether no supported release of Kubernetes serves the kind any more.
func isRemoved(m markers.MarkerValues) bool {
	release, ok := m.Get(removedMarker).(markers.RawArguments)
	if !ok {
		return false
	}
	in, err := version.ParseGeneric(string(release))
	return err == nil && !oldest.LessThan(in)
}

// newKind returns a kind from its type and markers. Its plural is guessed by the rule that
// Kubernetes' own generators use, since the Go source does not say it.
func newKind(p *loader.Package, group string, info *markers.TypeInfo) kubetypes.Kind {
	gvk := schema.GroupVersionKind{Group: group, Version: p.Name, Kind: info.Name}
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	return kubetypes.Kind{
		Group: group, Version: gvk.Version, Kind: gvk.Kind, Plural: plural.Resource,
		Namespaced: info.Markers.Get("genclient:nonNamespaced") == nil,
		GoPackage:  loader.NonVendorPath(p.PkgPath), GoName: info.Name,
	}
}
