package packaging

import (
	"net/mail"
	"slices"
	"strings"
)

// displayName returns the name of the operator for readers.
func (o *Operator) displayName() string {
	if name := o.Project.Package.DisplayName; name != "" {
		return name
	}
	return o.Project.Name
}

// description returns what the operator is: what opgen.yaml says, or else the kinds that it serves.
func (o *Operator) description() string {
	if text := o.Project.Package.Description; text != "" {
		return text
	}
	var kinds []string
	for _, crd := range ofKind(o.Objects, "CustomResourceDefinition") {
		names, _ := crd.Object["spec"].(map[string]any)["names"].(map[string]any)
		kind, _ := names["kind"].(string)
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	if len(kinds) == 0 {
		return "The Kubernetes operator " + o.Project.Name + "."
	}
	return "The Kubernetes operator " + o.Project.Name + ", for " + strings.Join(kinds, ", ") + "."
}

// maintainers returns the maintainers as charts and bundles list them.
func (o *Operator) maintainers() []any {
	var list []any
	for _, text := range o.Project.Package.Maintainers {
		address, err := mail.ParseAddress(text)
		if err != nil {
			continue // the parser of opgen.yaml has refused it
		}
		list = append(list, map[string]any{"name": address.Name, "email": address.Address})
	}
	return list
}
