package spec

import "go.yaml.in/yaml/v3"

// version decodes one version. A kind with an operator always has a status, since the operator writes one.
func (d *decoder) version(n *yaml.Node, path string, operated bool) Version {
	v := Version{Pos: d.src.pos(n), Served: true, StandardRoot: true, StandardStatus: true}
	var statusSet bool
	d.mapping(n, path, keys{
		"name":           d.versionName(&v.Name),
		"goTypes":        d.flag(&v.GoTypes),
		"served":         d.flag(&v.Served),
		"storage":        d.flag(&v.Storage),
		"description":    d.prose(&v.Description),
		"standardStatus": d.flag(&v.StandardStatus),
		"standardRoot":   d.flag(&v.StandardRoot),
		"deprecated":     d.flag(&v.Deprecated),
		"deprecationWarning": func(n *yaml.Node, path string) {
			v.Warning = new(string)
			d.prose(v.Warning)(n, path)
		},
		"schema":       func(n *yaml.Node, _ string) { v.Root = d.root(n) },
		"subresources": d.subresources(&v.Subresources, &statusSet),
		"spec":         func(n *yaml.Node, _ string) { v.Spec = d.object(n, "spec") },
		"status":       func(n *yaml.Node, _ string) { v.Status = d.object(n, "status") },
		"columns": func(n *yaml.Node, path string) {
			v.Columns = []Column{} // an empty list is not none
			d.list(func(n *yaml.Node, path string) { v.Columns = append(v.Columns, d.column(n, path)) })(n, path)
		},
		"scale": func(n *yaml.Node, path string) { v.Scale = d.scale(n, path) },
		"selectableFields": func(n *yaml.Node, path string) {
			v.SelectableFields = []string{}
			d.texts(&v.SelectableFields)(n, path)
		},
	})
	if n.Kind != yaml.MappingNode {
		return v
	}
	d.need(n, path, "name")
	if v.GoTypes {
		d.goTypesAlone(n, path)
		return v
	}
	if v.Status == nil && v.StandardStatus && operated {
		v.Status = &Schema{Pos: v.Pos, At: map[string]Pos{}}
	}
	v.StandardStatus = v.StandardStatus && v.Status != nil
	if v.StandardStatus {
		d.addStandardStatus(v.Status)
	}
	if !statusSet && !v.Subresources.Listed {
		v.Subresources.Status = v.Status != nil
	}
	d.paths(n, path, &v)
	return v
}

// goTypesAlone reports what a version says of its schema beside goTypes: true.
func (d *decoder) goTypesAlone(n *yaml.Node, path string) {
	for _, key := range []string{
		"spec", "status", "schema", "description", "standardStatus", "standardRoot", "columns", "scale", "subresources", "selectableFields",
	} {
		if name, _ := lookup(n, key); name != nil {
			d.fail(name, join(path, key), "does not go with goTypes: true", "keep one of the two: goTypes takes it from the Go types, or "+key+" says it here")
		}
	}
}

// root decodes what the file says of the whole object beside its spec and its status.
func (d *decoder) root(n *yaml.Node) *Schema {
	s := d.schema(n, "schema")
	if _, set := s.At["type"]; !set {
		s.Keywords.Type = "object"
	}
	for _, p := range s.Properties {
		if p.Name == "spec" || p.Name == "status" {
			d.failAt(p.Pos, "schema."+p.Name, "is a key of the version", "write "+p.Name+" beside schema")
		}
	}
	return s
}

// subresources decodes which subresources there are beside scale: an empty mapping is written as such.
func (d *decoder) subresources(into *Subresources, statusSet *bool) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		d.mapping(n, path, keys{"status": d.flag(&into.Status)})
		_, status := lookup(n, "status")
		*statusSet = status != nil
		into.Listed = status == nil
	}
}

// object decodes the schema of spec or status, which are objects unless they say otherwise.
func (d *decoder) object(n *yaml.Node, path string) *Schema {
	s := d.schema(n, path)
	k := &s.Keywords
	if s.Type == "" && s.Use == nil && k.Type == "" && !k.XIntOrString && k.XPreserveUnknownFields == nil {
		k.Type = "object"
	}
	return s
}

// column decodes a column; its type may follow from the schema later.
func (d *decoder) column(n *yaml.Node, path string) Column {
	c := Column{Pos: d.src.pos(n)}
	var priority int64
	d.mapping(n, path, keys{
		"name":        d.prose(&c.Name),
		"type":        word(d, &c.Type, "string", "integer", "number", "boolean", "date"),
		"path":        d.text(&c.Path),
		"format":      word(d, &c.Format, "int32", "int64", "float", "double", "byte", "date", "date-time", "password"),
		"description": d.prose(&c.Description),
		"priority":    d.count(&priority, 0, 1<<31-1),
	})
	c.Priority = int32(priority)
	if n.Kind == yaml.MappingNode {
		d.need(n, path, "name", "path")
	}
	return c
}

func (d *decoder) scale(n *yaml.Node, path string) *Scale {
	s := &Scale{Pos: d.src.pos(n)}
	ok := d.mapping(n, path, keys{
		"specReplicas":   d.text(&s.SpecReplicas),
		"statusReplicas": d.text(&s.StatusReplicas),
		"labelSelector":  d.text(&s.LabelSelector),
	})
	if ok {
		d.need(n, path, "specReplicas", "statusReplicas")
	}
	return s
}
