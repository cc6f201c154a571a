package kubebuilder

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Made are the manifests that opgen makes of a project, by their paths. Notes on files of the project look into them,
// so that nothing is called superfluous that opgen does not make.
type Made map[string][]byte

// manifest is what notes look at in a manifest.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Rules    []struct{ APIGroups, Resources []string }
	Spec     struct {
		Conversion struct{ Strategy string }
	}
}

// manifestsIn returns the manifests in a YAML file; none of what cannot be read, such as a template.
func manifestsIn(data []byte) (all []manifest) {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := reader.Read()
		if err != nil { // the end, at the latest
			return all
		}
		var m manifest
		if yaml.Unmarshal(document, &m) == nil {
			all = append(all, m)
		}
	}
}

// has reports whether one of the files has a manifest of a kind.
func (m Made) has(kinds ...string) bool {
	for _, data := range m {
		if slices.ContainsFunc(manifestsIn(data), func(m manifest) bool { return slices.Contains(kinds, m.Kind) }) {
			return true
		}
	}
	return false
}

// crds returns the names of the CRDs in the files, and whether one of them has a conversion by a webhook.
func (m Made) crds() (names map[string]bool, converts bool) {
	names = map[string]bool{}
	for _, found := range manifestsIn(m["deploy/zz_generated.crd.yaml"]) {
		names[found.Metadata.Name] = true
		converts = converts || found.Spec.Conversion.Strategy == "Webhook"
	}
	return names, converts
}

// otherCRDs returns the names of the CRDs in a folder that are not made.
func (m Made) otherCRDs(tree fs.FS, dir string) (others []string) {
	made, _ := m.crds()
	files, _ := fs.Glob(tree, path.Join(dir, "*.yaml")) // the pattern is valid
	for _, file := range files {
		data, err := fs.ReadFile(tree, file)
		if err != nil {
			continue // it is gone in the meantime
		}
		for _, found := range manifestsIn(data) {
			if found.Kind == "CustomResourceDefinition" && !made[found.Metadata.Name] {
				others = append(others, found.Metadata.Name)
			}
		}
	}
	return others
}

// otherPermissions returns the resources in the roles of a file of which no role that is made says anything.
func (m Made) otherPermissions(tree fs.FS, file string) (others []string) {
	made := map[string]bool{}
	for _, found := range manifestsIn(m["deploy/zz_generated.rbac.yaml"]) {
		for _, resource := range found.resources() {
			made[resource] = true
		}
	}
	data, err := fs.ReadFile(tree, file)
	if err != nil {
		return nil // the project has no such file
	}
	for _, found := range manifestsIn(data) {
		for _, resource := range found.resources() {
			if !made[resource] && !slices.Contains(others, resource) {
				others = append(others, resource)
			}
		}
	}
	return others
}

// resources returns the resources of a role, such as pods, or deployments.apps.
func (m manifest) resources() (names []string) {
	for _, rule := range m.Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				names = append(names, strings.TrimSuffix(resource+"."+group, "."))
			}
		}
	}
	return names
}

// otherPatches returns the files in a folder of patches of CRDs that are not those of kubebuilder for conversion.
func otherPatches(tree fs.FS, dir string) (others []string) {
	files, _ := fs.Glob(tree, path.Join(dir, "*.yaml")) // the pattern is valid
	for _, file := range files {
		if name := path.Base(file); !strings.HasPrefix(name, "webhook_in_") && !strings.HasPrefix(name, "cainjection_in_") && name != "kustomization.yaml" {
			others = append(others, name)
		}
	}
	return others
}

// listed returns the first names of a list, and how many there are beside them.
func listed(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
