package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/opgen-dev/opgen/internal/cluster"
)

// upReport is what opgen cluster up -o json prints.
type upReport struct {
	*cluster.Instance
	Existed     bool   `json:"existed"` // it ran already
	Controllers bool   `json:"controllers"`
	Kubeconfig  string `json:"kubeconfig"`
	AuditLog    string `json:"auditLog"`
}

func (o *upOptions) report(s streams, up cluster.Options, outcome *cluster.Outcome, took time.Duration) error {
	if len(outcome.Gone) > 0 {
		fmt.Fprintf(s.err, "cluster %q was broken (%s had ended) and is started again\n", o.name, strings.Join(outcome.Gone, ", "))
	}
	defer o.warnOfDifferences(s, up, outcome)
	if o.output.json() {
		return writeJSON(s.out, upReport{outcome.Instance, outcome.Existed, outcome.HasControllers(), outcome.Kubeconfig(), outcome.AuditLog()})
	}
	if outcome.Existed {
		fmt.Fprintf(s.err, "cluster %q is running already at %s\n", o.name, outcome.Server)
		return nil
	}
	fmt.Fprintf(s.err, "cluster %q (Kubernetes %s) is ready at %s after %.1f s\n", o.name, outcome.Version, outcome.Server, took.Seconds())
	if outcome.Node != nil {
		fmt.Fprintf(s.err, "    its registry is %s\n", outcome.Node.Registry)
	}
	environment := "opgen cluster env"
	if o.name != cluster.DefaultName {
		environment += " --name " + o.name
	}
	fmt.Fprintf(s.err, "    use it with: eval \"$(%s)\"\n", environment)
	return nil
}

// warnOfDifferences warns where the instance differs from what the user may expect. For example, it
// has no controllers, or it ran already with other executables.
func (o *upOptions) warnOfDifferences(s streams, up cluster.Options, outcome *cluster.Outcome) {
	if asked := up.Assets.Dir; asked != "" && asked != outcome.Assets {
		fmt.Fprintf(s.err, "cluster %q runs from %s, not from %s\n    to change that, run `%s` first\n", o.name, outcome.Assets, asked, o.downCommand())
	}
	if !outcome.HasControllers() {
		fmt.Fprintf(s.err, `cluster %q has no kube-controller-manager, since there is none in %s
    nothing collects garbage, empties deleted namespaces, or makes ServiceAccounts and the Pods of workloads
    to have controllers, run `+"`%s && %s --assets=`"+` (builds them, once, for minutes)
`, o.name, outcome.Assets, o.downCommand(), o.upCommand())
	}
}
