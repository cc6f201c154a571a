package spec

import (
	"encoding/json"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"
)

// decodeGoConstants decodes the names of an enum's constants.
func (d *decoder) decodeGoConstants(s *Schema, n *yaml.Node, path string) {
	s.GoConstants = map[string]string{}
	values := map[string]string{}
	d.eachEntry(n, path, func(key, value *yaml.Node, path string) {
		s.At[joinPath("goConstants", key.Value)] = d.src.positionOf(key)
		name, ok := d.decodeText(value, path)
		switch other := values[name]; {
		case !ok:
			return
		case !kindName().MatchString(name):
			d.fail(value, path, quoteShort(name)+" is not an exported Go name", "such as "+nearestKind(key.Value))
			return
		case other != "":
			d.fail(value, path, quoteShort(name)+" is the name for "+quoteShort(other)+" too", "")
			return
		}
		values[name], s.GoConstants[key.Value] = key.Value, name
	})
}

// checkGoConstants reports names of constants for what is no value of the enum.
func (d *decoder) checkGoConstants(s *Schema, path string) {
	if s.GoConstants == nil {
		return
	}
	var values []string
	for _, raw := range s.Keywords.Enum {
		var value string
		if json.Unmarshal(raw.Raw, &value) == nil {
			values = append(values, value)
		}
	}
	if s.Keywords.Type != "string" || len(values) == 0 {
		d.failAt(s.At["goConstants"], joinPath(path, "goConstants"), "does not apply here", "only an enum of texts has constants in Go")
		return
	}
	for _, value := range slices.Sorted(maps.Keys(s.GoConstants)) {
		if !slices.Contains(values, value) {
			d.failAt(s.At[joinPath("goConstants", value)], joinPath(joinPath(path, "goConstants"), value), "is no value of an enum of texts here", suggestName(value, values))
		}
	}
}
