package kubebuilder

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const orchard = `
layout: [go.kubebuilder.io/v4]
domain: example.com
projectName: orchard
repo: example.com/orchard
multigroup: true
plugins: {manifests.sdk.operatorframework.io/v2: {}}
resources:
- api: {crdVersion: v1, namespaced: true}
  controller: true
  domain: example.com
  group: garden
  kind: Tree
  path: example.com/orchard/api/garden/v1
  version: v1
  webhooks: {defaulting: true, webhookVersion: v1}
- api: {crdVersion: v1}
  kind: Fence
  domain: example.com
  version: v1
- external: true
  domain: io
  group: cert-manager
  kind: Certificate
  version: v1
- core: true
  group: core
  kind: Pod
  version: v1
version: "3"
`

// Files of kubebuilder 2 and of early projects of version 3 have less: no layout, no name, no domain at their resources.
func TestParseProjectOfOldVersions(t *testing.T) {
	for _, version := range []string{`"2"`, "3-alpha", `"3"`} {
		p, problems := ParseProject([]byte("domain: example.com\nrepo: example.com/orchard\nresources:\n- {group: garden, kind: Tree, version: v1}\nversion: " + version + "\n"))
		if len(problems) > 0 || len(p.Resources) != 1 {
			t.Errorf("version %s: %+v %v", version, p, problems)
			continue
		}
		if group := p.Resources[0].QualifiedGroup(); version != `"3"` && group != "garden.example.com" {
			t.Errorf("version %s: the group is %s", version, group)
		}
	}
}

func TestParseProject(t *testing.T) {
	p, problems := ParseProject([]byte(orchard))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if p.Name != "orchard" || p.Domain != "example.com" || p.Repo != "example.com/orchard" || !p.Multigroup {
		t.Errorf("%+v", p)
	}
	type resource struct {
		group, kind string
		isDefined   bool
	}
	var got []resource
	for _, r := range p.Resources {
		got = append(got, resource{r.QualifiedGroup(), r.Kind, r.IsDefined()})
	}
	want := []resource{{"garden.example.com", "Tree", true}, {"example.com", "Fence", true}, {"cert-manager.io", "Certificate", false}, {"core", "Pod", false}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(resource{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProjectsThatAreRefused(t *testing.T) {
	for _, test := range []struct{ name, file, want string }{
		{"version 1", "version: \"1\"\ndomain: x.io\n",
			"PROJECT: version: \"1\" is not accepted: opgen reads the versions 2 and 3, which kubebuilder writes since 2.0\n    write version: \"3\", with the kinds in resources: the Go code says the rest"},
		{"no version", "domain: x.io\n",
			"PROJECT: version: no version is not accepted: opgen reads the versions 2 and 3, which kubebuilder writes since 2.0\n    write version: \"3\", with the kinds in resources: the Go code says the rest"},
		{"helm", "version: \"3\"\nlayout:\n- helm.sdk.operatorframework.io/v1\n",
			"PROJECT:3:1: layout: helm.sdk.operatorframework.io/v1 is no operator in Go\n    docs/coming-from/operator-sdk.md says what becomes of Helm charts and Ansible roles"},
		{"ansible, as an old operator-sdk writes it", "version: \"3\"\nlayout: ansible.sdk.operatorframework.io/v1\n",
			"PROJECT:2:9: layout: ansible.sdk.operatorframework.io/v1 is no operator in Go\n    docs/coming-from/operator-sdk.md says what becomes of Helm charts and Ansible roles"},
		{"another layout", "version: \"3\"\nlayout: [java.example.com/v1]\n",
			"PROJECT:2:9: layout: \"java.example.com/v1\" is not accepted\n    opgen takes over projects of the layouts go.kubebuilder.io/v3 and v4"},
		{"a resource without a kind", "version: \"3\"\nlayout: [go.kubebuilder.io/v4]\nresources:\n- {group: a, version: v1}\n",
			"PROJECT:4:3: resources: has no kind, or no version\n    write both, as in the other resources"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, problems := ParseProject([]byte(test.file))
			if len(problems) != 1 || problems[0].String() != test.want {
				t.Errorf("%v\nwant:\n%s", problems.Err(), test.want)
			}
		})
	}
	if _, problems := ParseProject([]byte("a: [")); len(problems) != 1 {
		t.Errorf("a file that is no YAML: %v", problems)
	}
}
