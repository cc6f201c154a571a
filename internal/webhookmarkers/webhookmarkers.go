// Package webhookmarkers reads the admission webhooks of +kubebuilder:webhook markers, with the code
// of controller-tools. It reports what the API server would refuse, at the position of the marker.
package webhookmarkers

import (
	"cmp"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/controller-tools/pkg/webhook"

	"github.com/opgen-dev/opgen/internal/gomarkers"
	"github.com/opgen-dev/opgen/internal/spec"
)

// The names of the markers. ConfigurationName gives a configuration another name.
const (
	Name              = "+kubebuilder:webhook"
	ConfigurationName = "+kubebuilder:webhookconfiguration"
)

const (
	example              = "such as // +kubebuilder:webhook:path=/mutate-apps-v1-deployment,mutating=true,failurePolicy=fail,sideEffects=None,groups=apps,resources=deployments,verbs=create;update,versions=v1,name=deployment.example.com,admissionReviewVersions=v1"
	configurationExample = "such as // +kubebuilder:webhookconfiguration:mutating=true,name=defaults"
)

// Service is the Service of webhooks whose marker names none.
type Service struct{ Name, Namespace string }

// The names that stand for the project's own Service and namespace in a kubebuilder project, where
// kustomize completes them.
const (
	scaffoldedService   = "webhook-service"
	scaffoldedNamespace = "system"
)

// nameOr returns a name, or the project's own if there is none or one that stands for it.
func nameOr(name, standsForOwn, own string) string {
	if name == "" || name == standsForOwn {
		return own
	}
	return name
}

// Webhooks are the admission webhooks of a project.
type Webhooks struct {
	Mutating   []admissionv1.MutatingWebhook   // sorted by name, as controller-gen does
	Validating []admissionv1.ValidatingWebhook // the same
	// MutatingName and ValidatingName are the names that markers give the configurations; they may be
	// empty.
	MutatingName, ValidatingName string
}

// Parse returns the webhooks of those markers that are of webhooks.
func Parse(all []gomarkers.Marker, service Service) (Webhooks, spec.Problems) {
	r := reader{service: service, names: map[string]spec.Pos{}, paths: map[string]handler{}}
	for _, m := range gomarkers.Named(all, Name) {
		r.readWebhook(m)
	}
	for _, m := range gomarkers.Named(all, ConfigurationName) {
		r.readConfiguration(m)
	}
	slices.SortFunc(r.found.Mutating, func(a, b admissionv1.MutatingWebhook) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(r.found.Validating, func(a, b admissionv1.ValidatingWebhook) int { return strings.Compare(a.Name, b.Name) })
	return r.found, r.problems
}

// reader collects webhooks.
type reader struct {
	service  Service
	found    Webhooks
	names    map[string]spec.Pos // of the webhooks of each configuration
	paths    map[string]handler
	problems spec.Problems
}

// handler is what serves a path.
type handler struct {
	mutates bool
	pos     spec.Pos
}

func (r *reader) fail(pos spec.Pos, marker, message, hint string) {
	r.problems = append(r.problems, spec.Problem{Pos: pos, Path: marker, Message: message, Hint: hint})
}

// readWebhook reads one webhook.
func (r *reader) readWebhook(m gomarkers.Marker) {
	parsed, problem := gomarkers.Parse(webhook.ConfigDefinition, m, example)
	if problem != nil {
		r.problems = append(r.problems, *problem)
		return
	}
	config := parsed.(webhook.Config)
	if message, hint := check(config); message != "" {
		r.fail(m.Pos, Name, message, hint)
		return
	}
	if !r.isAlone(m.Pos, config) {
		return
	}
	config.ServiceName, config.ServiceNamespace = nameOr(config.ServiceName, scaffoldedService, r.service.Name), nameOr(config.ServiceNamespace, scaffoldedNamespace, r.service.Namespace)
	if err := r.add(config); err != nil {
		r.fail(m.Pos, Name, err.Error(), example)
	}
}

// isAlone reports whether no other webhook has the name or contradicts at the path.
func (r *reader) isAlone(pos spec.Pos, config webhook.Config) bool {
	kind := "validating "
	if config.Mutating {
		kind = "mutating "
	}
	if other, isTaken := r.names[kind+config.Name]; isTaken {
		r.fail(pos, Name, "name "+config.Name+" is that of the "+kind+"webhook at "+other.String(), "give each a name of its own")
		return false
	}
	r.names[kind+config.Name] = pos
	other, isTaken := r.paths[config.Path]
	switch {
	case config.Path == "":
	case isTaken && other.mutates != config.Mutating:
		r.fail(pos, Name, "path "+config.Path+" is mutating at one place and validating at "+other.pos.String(), "give each a path of its own")
		return false
	default:
		r.paths[config.Path] = handler{config.Mutating, pos}
	}
	return true
}

func (r *reader) add(config webhook.Config) error {
	if config.Mutating {
		made, err := config.ToMutatingWebhook()
		r.found.Mutating = append(r.found.Mutating, made)
		return err
	}
	made, err := config.ToValidatingWebhook()
	r.found.Validating = append(r.found.Validating, made)
	return err
}

// readConfiguration reads the name of a configuration.
func (r *reader) readConfiguration(m gomarkers.Marker) {
	parsed, problem := gomarkers.Parse(webhook.WebhookConfigDefinition, m, configurationExample)
	if problem != nil {
		r.problems = append(r.problems, *problem)
		return
	}
	config, name := parsed.(webhook.WebhookConfig), &r.found.ValidatingName
	if config.Mutating {
		name = &r.found.MutatingName
	}
	if *name != "" && config.Name != "" && *name != config.Name {
		r.fail(m.Pos, ConfigurationName, "the configuration is named "+*name+" and "+config.Name, "a project has one of each sort: keep one of the markers")
		return
	}
	*name = cmp.Or(config.Name, *name)
}
