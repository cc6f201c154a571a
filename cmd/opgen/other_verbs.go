package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// otherVerb is a command of kubebuilder or operator-sdk that opgen does not have.
type otherVerb struct {
	words   string // as a user writes them after the name of the program
	instead string // what takes its place
}

// otherVerbs are the commands of kubebuilder and operator-sdk that opgen does not have. Of two that
// fit, the first counts.
var otherVerbs = []otherVerb{
	{"create webhook", "write defaults and rules into the spec file; describe a webhook of your own by a +kubebuilder:webhook marker, and register it with operator.Setup in main.go"},
	{"delete webhook", "remove your code, and its registration with operator.Setup in main.go"},
	{"edit", "change opgen.yaml, then run: opgen generate"},
	{"alpha", "for the files of a newer opgen, change its version in go.mod and tools.mod, then run: opgen generate"},
	{"generate bundle", "opgen makes no OLM bundle: make deploy, or package the output of kubectl kustomize deploy"},
	{"generate kustomize", "deploy/ is a kustomization already: opgen generate keeps it up to date"},
	{"bundle", "opgen makes no OLM bundle: make deploy, or package the output of kubectl kustomize deploy"},
	{"pkgman-to-bundle", "opgen makes no OLM bundle: make deploy, or package the output of kubectl kustomize deploy"},
	{"run", "run the operator on this machine with: make run; in a cluster with: make deploy"},
	{"cleanup", "take the operator out of a cluster with: make undeploy"},
	{"olm", "opgen needs no OLM: make deploy installs the operator, and opgen cluster up starts a local Kubernetes"},
	{"scorecard", "run the generated tests with: make test-e2e; for longer, with other inputs: make explore"},
}

// insteadOf returns what takes the place of a command of kubebuilder or operator-sdk, and "" for any
// other. cmd is the command of opgen that was found, and rest the words after it.
func insteadOf(cmd *cobra.Command, rest []string) string {
	words := slices.Concat(strings.Fields(cmd.CommandPath())[1:], rest)
	for _, verb := range otherVerbs {
		if strings.HasPrefix(strings.Join(words, " ")+" ", verb.words+" ") {
			return verb.instead
		}
	}
	return ""
}
