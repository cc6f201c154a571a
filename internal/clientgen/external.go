package clientgen

import (
	_ "embed"
	"strings"

	"k8s.io/gengo/v2/types"
)

// applyConfigurations lists the types of Kubernetes for which client-go has apply configurations.
// Each line is a package of k8s.io/api with its types, such as "core/v1: Affinity AppArmorProfile".
//
//go:embed applyconfigurations.txt
var applyConfigurations string

// externalApplyPackages maps types of Kubernetes to the packages of their apply configurations. A
// field of such a type takes the apply configuration: the Go type would also send fields that
// nobody has set.
func externalApplyPackages() map[types.Name]string {
	packages := map[types.Name]string{}
	for line := range strings.Lines(applyConfigurations) {
		pkg, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for _, name := range strings.Fields(names) {
			packages[types.Name{Package: "k8s.io/api/" + pkg, Name: name}] = "k8s.io/client-go/applyconfigurations/" + pkg
		}
	}
	return packages
}
