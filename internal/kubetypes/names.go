package kubetypes

import (
	"cmp"
	"path"
	"strings"
)

// NameOf returns the name of a Go type of Kubernetes in spec files. It consists of the last two
// elements of the import path for the package of an API version, or the last one otherwise, and the
// type:
//
//	k8s.io/api/core/v1                    ResourceRequirements  core/v1.ResourceRequirements
//	k8s.io/apimachinery/pkg/api/resource  Quantity              resource.Quantity
func NameOf(goPackage, goName string) string {
	dir, last := path.Split(goPackage)
	if isVersion(last) {
		last = path.Base(dir) + "/" + last
	}
	return last + "." + goName
}

// isVersion reports whether an element of an import path is an API version, such as v1 or v2beta1.
func isVersion(s string) bool {
	return len(s) > 1 && s[0] == 'v' && s[1] >= '0' && s[1] <= '9'
}

// CompareKinds orders kinds by group, version and kind.
func CompareKinds(a, b Kind) int {
	return cmp.Or(
		strings.Compare(a.Group, b.Group),
		strings.Compare(a.Version, b.Version),
		strings.Compare(a.Kind, b.Kind),
	)
}
