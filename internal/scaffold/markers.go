package scaffold

import (
	"fmt"
	"os"
	"slices"

	"github.com/opgen-dev/opgen/internal/gomarkers"
	"github.com/opgen-dev/opgen/internal/rbacmarkers"
	"github.com/opgen-dev/opgen/internal/scaffold/deploy"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/webhookmarkers"
)

// FindMarkers returns the markers in the Go comments of the project in dir that its manifests are made
// from.
func FindMarkers(dir string) ([]gomarkers.Marker, error) {
	return gomarkers.Find(os.DirFS(dir), rbacmarkers.Name, webhookmarkers.Name)
}

// readMarkers reads the rules and the webhooks that the markers of the project in dir ask for.
func (s *Source) readMarkers(dir string) error {
	found, err := FindMarkers(dir)
	if err != nil {
		return err
	}
	operator := operatorOf(s.Project)
	rules, problems := rbacmarkers.Parse(found)
	webhooks, more := webhookmarkers.Parse(found, webhookmarkers.Service{Name: operator.ServiceName(), Namespace: operator.Namespace()})
	s.markers, s.rules, s.webhooks = gomarkers.Texts(found), rules, webhooks
	return slices.Concat(problems, more).Err()
}

// operatorOf returns the operator of a project, without what comes from APIs and Go source.
func operatorOf(p *spec.Project) deploy.Operator {
	return deploy.Operator{Name: p.Name, Watch: p.Watch, WatchNamespaces: p.WatchNamespaces, Certificates: p.Webhooks}
}

// checkServiceName returns a problem if the project serves webhooks and their Service would have too
// long a name.
func (p *project) checkServiceName() spec.Problems {
	tooLong := len(p.operator.ServiceName()) - deploy.MaxServiceName
	if tooLong <= 0 || !p.operator.ServesWebhooks() {
		return nil
	}
	return spec.Problems{{
		Pos: p.At["name"], Path: "name", Message: fmt.Sprintf("the Service %s of the project's webhooks has more than %d characters", p.operator.ServiceName(), deploy.MaxServiceName),
		Hint: fmt.Sprintf("write a name of at most %d characters", len(p.Name)-tooLong),
	}}
}
