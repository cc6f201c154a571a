package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/nearest"
)

// A JSON path has only fields (.spec.replicas), or also selects items and keys
// (.status.conditions[?(@.type=="Ready")].status).
var (
	fieldPath = lazyregexp.New(`^(\.([A-Za-z_$][\w$-]*|[\w$-]*(\\\.[\w$/-]*)+))+$`)
	pathStep  = lazyregexp.New(`\.((?:\\\.|[^.\[\\])+)`)
)

// checkPaths checks the paths of columns, scale and selectable fields against the schema, and sets
// the types of columns from it.
func (d *decoder) checkPaths(n *yaml.Node, path string, v *Version) {
	_, columns := lookupKey(n, "columns")
	for i := range v.Columns {
		c := &v.Columns[i]
		where := itemValue(columns, i, "path")
		if c.Path == "" || where == nil {
			continue
		}
		schema := d.resolvePath(v, where, indexPath(path+".columns", i)+".path", c.Path, false)
		if c.Type == "" {
			c.Type = columnType(c.Path, schema)
		}
	}
	_, scale := lookupKey(n, "scale")
	if v.Scale != nil && scale != nil {
		d.checkReplicas(v, scale, path+".scale", "specReplicas", v.Scale.SpecReplicas, ".spec.")
		d.checkReplicas(v, scale, path+".scale", "statusReplicas", v.Scale.StatusReplicas, ".status.")
		d.checkScaleSelector(v, scale, path+".scale", v.Scale.LabelSelector)
	}
	_, fields := lookupKey(n, "selectableFields")
	for i, f := range v.SelectableFields {
		d.checkSelectableField(v, fields.Content[i], indexPath(path+".selectableFields", i), f)
	}
}

// itemValue returns the value of a key in an item of a list of mappings, for positions.
func itemValue(list *yaml.Node, index int, key string) *yaml.Node {
	if list == nil || index >= len(list.Content) {
		return nil
	}
	_, value := lookupKey(list.Content[index], key)
	return value
}

// checkReplicas checks a path of the scale subresource that must lead to an integer.
func (d *decoder) checkReplicas(v *Version, scale *yaml.Node, path, key, value, prefix string) {
	_, n := lookupKey(scale, key)
	if n == nil || value == "" {
		return
	}
	path = joinPath(path, key)
	if !strings.HasPrefix(value, prefix) || !fieldPath().MatchString(value) {
		d.fail(n, path, quoteShort(value)+" is not a path of fields below "+strings.TrimSuffix(prefix, "."), "such as "+prefix+"replicas")
		return
	}
	s := d.resolvePath(v, n, path, value, key == "statusReplicas") // without it, scale shows 0
	if s != nil && s.Keywords.Type != "" && s.Keywords.Type != "integer" {
		d.fail(n, path, value+" is "+WithArticle(s.Keywords.Type)+", and replicas are counted", "write int32 as its type")
	}
}

func (d *decoder) checkScaleSelector(v *Version, scale *yaml.Node, path, value string) {
	_, n := lookupKey(scale, "labelSelector")
	if n == nil || value == "" {
		return
	}
	path = joinPath(path, "labelSelector")
	if !strings.HasPrefix(value, ".spec.") && !strings.HasPrefix(value, ".status.") || !fieldPath().MatchString(value) {
		d.fail(n, path, quoteShort(value)+" is not a path of fields below .spec or .status", "such as .status.selector")
		return
	}
	s := d.resolvePath(v, n, path, value, false)
	if s != nil && s.Keywords.Type != "" && s.Keywords.Type != "string" {
		d.fail(n, path, value+" is "+WithArticle(s.Keywords.Type)+", and the selector is text", "write string as its type")
	}
}

func (d *decoder) checkSelectableField(v *Version, n *yaml.Node, path, value string) {
	if !fieldPath().MatchString(value) || strings.HasPrefix(value, ".metadata.") {
		d.fail(n, path, quoteShort(value)+" is not a path of fields below .spec or .status", "such as .spec.mode")
		return
	}
	d.resolvePath(v, n, path, value, false)
}

// resolvePath returns the schema that a path leads to. It returns nil if that is not known: inside
// of a Kubernetes type or an object with unknown fields, or after a filter. It adds a problem if
// the text is not a path, or leads to a field that does not exist. With mayLack, only a field whose
// name looks misspelt is a problem.
func (d *decoder) resolvePath(v *Version, n *yaml.Node, path, value string, mayLack bool) *Schema {
	if !strings.HasPrefix(value, ".") {
		d.fail(n, path, quoteShort(value)+" is not a path", "a path starts with a dot: ."+strings.TrimLeft(value, "${"))
		return nil
	}
	fields, filter, filtered := strings.Cut(value, "[")
	if filtered && !strings.Contains(filter, "]") {
		d.fail(n, path, quoteShort(value)+" is not a path", "a bracket is not closed")
		return nil
	}
	root := map[string]*Schema{"spec": v.Spec, "status": v.Status}
	var s *Schema
	for i, step := range pathStep().FindAllStringSubmatch(fields, -1) {
		name := strings.ReplaceAll(step[1], `\.`, ".")
		if i == 0 {
			if slices.Contains([]string{"metadata", "apiVersion", "kind"}, name) {
				return nil
			}
			if s = root[name]; s == nil && v.Root != nil {
				if !v.Root.isClosed() {
					return nil
				}
				s = v.Root.Property(name)
			}
			switch {
			case s != nil:
			case d.lenient:
				return nil
			default:
				d.fail(n, path, "the kind has no field ."+name, "known: .metadata, .spec and .status, where the version has them")
				return nil
			}
			s = s.Declared()
			continue
		}
		next := s.Property(name)
		if next == nil {
			if s.isClosed() && !d.lenient && (!mayLack || nearest.Name(name, s.fieldNames()) != "") {
				d.fail(n, path, value+" leads to no field: there is no "+quoteShort(name), suggestName(name, s.fieldNames()))
			}
			return nil
		}
		s = next.Declared()
	}
	if filtered {
		return nil
	}
	return s
}

// isClosed reports whether objects have only the fields in the schema.
func (s *Schema) isClosed() bool {
	k := s.Keywords
	return s.Type == "" && k.Type == "object" && s.AdditionalProperties == nil && s.AdditionalPropertiesAllowed == nil &&
		(k.XPreserveUnknownFields == nil || !*k.XPreserveUnknownFields) && !k.XEmbeddedResource
}

func (s *Schema) fieldNames() []string {
	var names []string
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	return names
}

// columnType returns the type of a column for a field. The schema is nil if it is not known.
func columnType(path string, s *Schema) string {
	switch {
	case s == nil && (path == ".metadata.creationTimestamp" || path == ".metadata.deletionTimestamp"):
		return "date"
	case s == nil && path == ".metadata.generation":
		return "integer"
	case s == nil:
		return "string"
	case s.Type == TypeTime || s.Keywords.Type == "string" && s.Keywords.Format == "date-time":
		return "date"
	case slices.Contains([]string{"integer", "number", "boolean"}, s.Keywords.Type):
		return s.Keywords.Type
	}
	return "string"
}
