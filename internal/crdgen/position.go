package crdgen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
)

// locate returns where in the spec file a path of the CRD comes from, and the path as the spec file has it:
//
//	spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[replicas].default  spec.replicas.default
func locate(api *spec.API, crdPath string) (spec.Pos, string) {
	steps := split(crdPath)
	if steps.skip("metadata") && steps.is("annotations") {
		return lookup(api.At, "group", api.Pos), "group" // the one annotation there can be approves of a group
	} else if steps.is("name") {
		return lookup(api.At, "names.plural", api.Names.Pos), "names.plural"
	}
	steps.skip("spec")
	i := 0
	if steps.skip("versions") {
		i = steps.index()
	} else if steps.is("names") || steps.is("group") || steps.is("scope") {
		path := steps.join()
		return lookup(api.At, path, api.Names.Pos), path
	}
	if i >= len(api.Versions) {
		return api.Pos, ""
	}
	version := fmt.Sprintf("versions[%d]", i)
	shown := "" // with one version there is no doubt which one is meant
	if len(api.Versions) > 1 {
		shown = version + "."
	}
	if steps.skip("schema") || steps.skip("validation") {
		steps.skip("openAPIV3Schema")
		pos, path := inVersion(&api.Versions[i], &steps)
		return pos, strings.TrimSuffix(shown+path, ".")
	}
	path := versionKeys.Replace(steps.join())
	return lookup(api.At, version+"."+path, api.Versions[i].Pos), strings.TrimSuffix(shown+path, ".")
}

// versionKeys turns what a CRD calls a version's parts into what a spec file calls them.
var versionKeys = strings.NewReplacer(
	"additionalPrinterColumns", "columns", ".JSONPath", ".path", ".jsonPath", ".path",
	"subresources.scale", "scale", "subresources.", "",
	"specReplicasPath", "specReplicas", "statusReplicasPath", "statusReplicas", "labelSelectorPath", "labelSelector",
)

// inVersion follows the steps from the root of a version's schema.
func inVersion(v *spec.Version, steps *steps) (spec.Pos, string) {
	if !steps.skip("properties") {
		return v.Pos, ""
	}
	switch name := steps.key(); {
	case name == "spec" && v.Spec != nil:
		return inSchema(v.Spec, name, steps)
	case name == "status" && v.Status != nil:
		return inSchema(v.Status, name, steps)
	default:
		return v.Pos, name
	}
}

// inSchema follows the steps down the nodes of the spec; what remains at the last node is one of its keywords.
func inSchema(s *spec.Schema, path string, steps *steps) (spec.Pos, string) {
	for s.Type == "" {
		next := s
		switch {
		case steps.is("properties"):
			next = property(s, steps.peekKey())
			if next != nil {
				steps.skip("properties")
				path += "." + steps.key()
			}
		case steps.is("items"):
			if next = s.Items; next != nil {
				steps.skip("items")
				path += ".items"
			}
		case steps.is("additionalProperties"):
			if next = s.AdditionalProperties; next != nil {
				steps.skip("additionalProperties")
				path += ".additionalProperties"
			}
		default:
			next = nil
		}
		if next == nil {
			break
		}
		s = next
	}
	keyword := steps.join()
	if keyword == "" {
		return s.Pos, path
	}
	return lookup(s.At, keyword, s.Pos), path + "." + keyword
}

func property(s *spec.Schema, name string) *spec.Schema {
	for _, p := range s.Properties {
		if p.Name == name {
			return p.Schema
		}
	}
	return nil
}

// lookup returns the position of a path, or of the closest part around it that has one.
func lookup(at map[string]spec.Pos, path string, fallback spec.Pos) spec.Pos {
	for path != "" {
		if pos, found := at[path]; found {
			return pos
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return fallback
}

// steps are what is left of a path: names, and keys in brackets with the bracket still before them.
type steps []string

func split(path string) steps {
	var out steps
	for path != "" {
		if path[0] == '[' {
			if end := strings.IndexByte(path, ']'); end > 0 {
				out, path = append(out, path[:end]), strings.TrimPrefix(path[end+1:], ".")
				continue
			}
		}
		end := strings.IndexAny(path, ".[")
		if end <= 0 {
			return append(out, path)
		}
		out, path = append(out, path[:end]), strings.TrimPrefix(path[end:], ".")
	}
	return out
}

func (s steps) is(name string) bool { return len(s) > 0 && s[0] == name }

// skip drops the next step when it is the name.
func (s *steps) skip(name string) bool {
	if !s.is(name) {
		return false
	}
	*s = (*s)[1:]
	return true
}

// peekKey returns the key that follows the next step.
func (s steps) peekKey() string {
	if len(s) < 2 {
		return ""
	}
	return strings.TrimPrefix(s[1], "[")
}

// key takes the next step, a key.
func (s *steps) key() string {
	if len(*s) == 0 {
		return ""
	}
	key := strings.TrimPrefix((*s)[0], "[")
	*s = (*s)[1:]
	return key
}

// index takes the next step, a number.
func (s *steps) index() int {
	n, err := strconv.Atoi(s.key())
	if err != nil {
		return 0
	}
	return n
}

// join returns the steps as a path of a spec file: numbers in brackets, names after dots.
func (s steps) join() string {
	var b strings.Builder
	for _, step := range s {
		key, bracket := strings.CutPrefix(step, "[")
		if _, err := strconv.Atoi(key); bracket && err == nil {
			b.WriteString(step + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(key)
	}
	return b.String()
}
