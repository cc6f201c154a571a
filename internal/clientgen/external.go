package clientgen

import (
	_ "embed"
	"strings"

	"k8s.io/gengo/v2/types"
)

// known lists the types of Kubernetes that client-go has apply configurations of: a line for each
// package of k8s.io/api, such as "core/v1: Affinity AppArmorProfile".
//
//go:embed applyconfigurations.txt
var known string

// externalApplyPackages maps the types of Kubernetes to the packages of their apply configurations.
// Fields of such a type take these: the Go type itself would send fields that nobody has set.
func externalApplyPackages() map[types.Name]string {
	packages := map[types.Name]string{}
	for line := range strings.Lines(known) {
		pkg, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for _, name := range strings.Fields(names) {
			packages[types.Name{Package: "k8s.io/api/" + pkg, Name: name}] = "k8s.io/client-go/applyconfigurations/" + pkg
		}
	}
	return packages
}
