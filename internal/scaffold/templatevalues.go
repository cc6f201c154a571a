package scaffold

import (
	"fmt"
	"maps"
	"path"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates/usertemplates"
)

// templateValues returns the values that the author's templates are rendered over.
func (p *project) templateValues() usertemplates.Values {
	values := usertemplates.Values{Project: usertemplates.Project{
		Name: p.Name, Module: p.Module, Domain: p.Domain, Watch: string(p.Watch), Multigroup: p.Multigroup, Clients: p.Clients,
		GoVersion: p.templates.GoVersion, KubernetesVersions: spec.KubernetesVersions(p.MinKubernetes),
		Image: p.operator.Image(), Namespace: p.operator.Namespace(), Manager: p.operator.ManagerName(), Roles: p.roleValues(),
	}}
	for _, k := range p.kinds {
		values.APIs = append(values.APIs, p.apiValues(k))
	}
	for _, c := range p.controllers {
		controller := usertemplates.Controller{
			Name: c.spec.Name, ControllerName: c.spec.Package(), SpecFile: c.spec.File, Folder: c.folder(), Finalize: c.spec.Operator.Finalize,
			Children: childValues(c.templates.Children), Related: relatedValues(c.templates.Related),
		}
		for _, parent := range c.templates.Controller.Parents {
			controller.Parents = append(controller.Parents, resourceValue(parent.Resource))
		}
		values.Controllers = append(values.Controllers, controller)
	}
	return values
}

// apiValues returns the values of an API.
func (p *project) apiValues(k kind) usertemplates.API {
	whole, names := k.api.Read(), k.api.Names
	api := usertemplates.API{
		Group: k.api.Group, Kind: names.Kind, ListKind: names.ListKind, Plural: names.Plural, Singular: names.Singular,
		ShortNames: names.ShortNames, Categories: names.Categories, Scope: string(k.api.Scope), CRDName: names.Plural + "." + k.api.Group,
		Annotations: textValues(whole.Annotations), Labels: textValues(whole.Labels),
		SpecFile: k.api.File, SampleFile: k.samplePath(),
	}
	for i := range whole.Versions {
		v := p.versionValues(whole, &whole.Versions[i])
		api.Versions = append(api.Versions, v)
		if v.Name == k.api.StorageVersion().Name {
			api.StorageVersion = v
		}
	}
	if op := k.api.Operator; op != nil {
		api.Operator = &usertemplates.Operator{
			ControllerName: k.operator.Name, Folder: k.folder, Finalize: op.Finalize,
			Children: childValues(k.operator.Children), Related: relatedValues(k.operator.Related),
		}
	}
	return api
}

// versionValues returns the values of a version of an API.
func (p *project) versionValues(api *spec.API, v *spec.Version) usertemplates.Version {
	value := usertemplates.Version{
		Name: v.Name, APIVersion: api.Group + "/" + v.Name, Description: v.Description,
		Served: v.Served, Storage: v.Storage, Deprecated: v.Deprecated,
		GoType: api.Names.GoKind, Fields: usertemplates.FieldsOf(v), HasStatus: v.Subresources.Status, HasScale: v.Scale != nil,
	}
	if v.Warning != nil {
		value.DeprecationWarning = *v.Warning
	}
	value.Folder, value.ImportPath = gomodel.PackageDir(p.Project, api.Group, v.Name), gomodel.ImportPath(p.Project, api.Group, v.Name)
	for _, c := range v.Columns {
		value.Columns = append(value.Columns, usertemplates.Column{
			Name: c.Name, Type: c.Type, Path: c.Path, Description: c.Description, Priority: int(c.Priority),
		})
	}
	return value.WithSample(func() ([]byte, error) {
		sample, err := crdgen.Sample(api, v.Name)
		if err != nil {
			return nil, fmt.Errorf("make a sample of %s: %w", api.Names.Kind, err)
		}
		return sample, nil
	})
}

func resourceValue(r kinds.Resource) usertemplates.Resource {
	return usertemplates.Resource{
		Group: r.Group, Version: path.Base(r.APIVersion), APIVersion: r.APIVersion, Kind: r.Kind, Plural: r.Plural, Scope: string(r.Scope()),
	}
}

func childValues(children []kinds.Child) []usertemplates.Child {
	var values []usertemplates.Child
	for _, c := range children {
		values = append(values, usertemplates.Child{
			Resource: resourceValue(c.Resource), Update: string(c.Spec.Update),
			WhenDropped: string(c.Spec.WhenDropped), WhenDeleted: string(c.Spec.WhenDeleted), PruneOnly: c.Spec.PruneOnly,
		})
	}
	return values
}

func relatedValues(related []kinds.Related) []usertemplates.Resource {
	var values []usertemplates.Resource
	for _, r := range related {
		values = append(values, resourceValue(r.Resource))
	}
	return values
}

// textValues returns a map with the type that the functions of templates expect.
func textValues(texts map[string]string) map[string]any {
	values := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		values[key] = texts[key]
	}
	return values
}

// roleValues returns the roles of the operator.
func (p *project) roleValues() []usertemplates.Role {
	var roles []usertemplates.Role
	for _, object := range p.operator.RBACObjects() {
		switch role := object.(type) {
		case *rbacv1.ClusterRole:
			roles = append(roles, usertemplates.Role{Kind: role.Kind, Name: role.Name, Rules: ruleValues(role.Rules)})
		case *rbacv1.Role:
			roles = append(roles, usertemplates.Role{Kind: role.Kind, Name: role.Name, Namespace: role.Namespace, Rules: ruleValues(role.Rules)})
		}
	}
	return roles
}

func ruleValues(rules []rbacv1.PolicyRule) []usertemplates.PolicyRule {
	var values []usertemplates.PolicyRule
	for _, r := range rules {
		values = append(values, usertemplates.PolicyRule{
			APIGroups: r.APIGroups, Resources: r.Resources, ResourceNames: r.ResourceNames, Verbs: r.Verbs, NonResourceURLs: r.NonResourceURLs,
		})
	}
	return values
}
