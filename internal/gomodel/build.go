package gomodel

import (
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// packageBuilder builds the types of one package.
type packageBuilder struct {
	kinds    []kindVersion
	pkg      Package
	names    nameSet
	problems spec.Problems

	kindName           string                            // of the kind whose types are being made
	used               map[*spec.NamedType]*declaredType // all named types in use
	named              []*declaredType                   // those with different Go types, in the order they are written
	outsideStatus      map[*spec.NamedType]bool          // those that users write, too
	hasCrossFieldRules map[*spec.NamedType]bool          // those below a schema with cross-field rules
}

// node is a schema together with what affects its Go type: its names, its path, and what is around
// it.
type node struct {
	schema  *spec.Schema
	name    string // the name of its type, if one is declared for it
	prefix  string // prefix of the names of the types below it
	path    string // such as EchoServer.spec.ports.items
	status  bool   // below status, which only the operator writes
	element bool   // an item of a list or a value of a map, not a field
	// hasCrossFieldRules means that the node or one around it has rules about several fields, such
	// as oneOf or CEL rules. A field that is omitted and one that is zero may then differ.
	hasCrossFieldRules bool
}

// withName returns the node with the name of its type.
func (n node) withName(name string) node {
	n.name, n.prefix = name, name
	return n
}

func (b *packageBuilder) build() Package {
	for _, name := range spec.PackageNames() {
		b.names[name] = true
	}
	for _, k := range b.kinds { // before any nested type can take one of these names
		for _, name := range []string{k.api.Names.GoKind, listName(k, b.pkg.Clients)} {
			b.names[name] = true
		}
		for name, s := range map[string]*spec.Schema{specName(k): k.version.Spec, statusName(k): k.version.Status} {
			if s == nil || Expand(s).Use == nil { // otherwise it has the name of its named type
				b.names[name] = true
			}
		}
	}
	for _, k := range b.kinds {
		if k.version.GoTypes {
			b.pkg.Kinds = append(b.pkg.Kinds, authoredKind(k, b.pkg.Clients))
			continue
		}
		b.addKind(k)
	}
	resolveCopies(b.pkg.Types)
	b.pkg.Imports = b.pkg.resolveImports()
	return b.pkg
}

func specName(k kindVersion) string   { return k.api.Names.GoKind + "Spec" }
func statusName(k kindVersion) string { return k.api.Names.GoKind + "Status" }

// addKind declares the types of one kind: the kind, its spec and status with everything below, and
// its list.
func (b *packageBuilder) addKind(k kindVersion) {
	kind := Kind{API: k.api, Name: k.api.Names.GoKind, List: listName(k, b.pkg.Clients)}
	b.kindName = kind.Name
	root := Type{
		Name: kind.Name, Object: true, Markers: kindMarkers(k),
		Doc: typeDoc(k.version.Description, kind.Name+" is a kind of "+b.pkg.Group+"/"+b.pkg.Version+"."),
		Fields: []Field{
			{Type: metaType("TypeMeta"), Tag: ",inline"},
			{Type: metaType("ObjectMeta"), Tag: "metadata,omitempty", Markers: []string{"+optional"}},
		},
	}
	if b.pkg.Clients {
		root.Markers = slices.Concat(clientMarkers(k), root.Markers)
	}
	at := len(b.pkg.Types)
	b.pkg.Types = append(b.pkg.Types, Type{}) // the kind is first, but is built after the others
	root.Fields = append(root.Fields, b.extraRootFields(kind.Name, k.version.Root)...)
	if s := k.version.Spec; s != nil {
		n := node{schema: Expand(s), name: specName(k), prefix: kind.Name, path: kind.Name + ".spec", hasCrossFieldRules: crdgen.RootHasRulesFor(k.version, "spec")}
		f := b.rootField(k.version, n, "Spec", "spec")
		kind.Spec, root.Fields = f.Type.Name, append(root.Fields, f)
	}
	if s := k.version.Status; s != nil {
		n := node{schema: Expand(s), name: statusName(k), prefix: statusName(k), path: kind.Name + ".status", status: true, hasCrossFieldRules: crdgen.RootHasRulesFor(k.version, "status")}
		f := b.rootField(k.version, n, "Status", "status")
		kind.Status, root.Fields = f.Type.Name, append(root.Fields, f)
	}
	keepNulls(&root, nullableOfRoot(k.version))
	if k.version.Root != nil {
		addUnknownFields(&root, k.version.Root)
	}
	b.pkg.Types[at] = root
	b.pkg.Types = append(b.pkg.Types, kind.listType())
	b.pkg.Kinds = append(b.pkg.Kinds, kind)
}

// extraRootFields returns the fields of a root other than metadata, spec and status.
func (b *packageBuilder) extraRootFields(kind string, root *spec.Schema) []Field {
	var fields []Field
	if root == nil {
		return nil
	}
	n := node{schema: root, name: kind, prefix: kind, path: kind, hasCrossFieldRules: crdgen.HasCrossFieldRules(&root.Keywords)}
	taken := []string{"TypeMeta", "ObjectMeta", "Spec", "Status"}
	for _, p := range root.Properties {
		if slices.Contains([]string{"apiVersion", "kind", "metadata"}, p.Name) {
			continue
		}
		for slices.Contains(taken, p.GoName) || isObjectMethod(p.GoName) {
			p.GoName += "Field"
		}
		taken = append(taken, p.GoName)
		fields = append(fields, b.fieldOf(n, p, slices.Contains(root.Keywords.Required, p.Name)))
	}
	return fields
}

// isObjectMethod reports whether a field of a kind cannot have a name, because the kind has a
// method with it, or a field of an embedded type.
func isObjectMethod(name string) bool {
	_, method := reflect.TypeFor[*metav1.PartialObjectMetadata]().MethodByName(name)
	_, field := reflect.TypeFor[metav1.PartialObjectMetadata]().FieldByName(name)
	return method || field
}

func (k Kind) listType() Type {
	return Type{
		Name: k.List, Object: true, Markers: []string{"+kubebuilder:object:root=true"},
		Doc: []string{k.List + " is a list of " + k.Name + " objects."},
		Fields: []Field{
			{Type: metaType("TypeMeta"), Tag: ",inline"},
			{Type: metaType("ListMeta"), Tag: "metadata,omitempty"},
			{Name: "Items", Tag: "items", Type: &GoType{Shape: List, Elem: &GoType{Shape: Name, Name: k.Name}}},
		},
	}
}

// nullableOfRoot returns the fields of a root that are nullable and optional.
func nullableOfRoot(v *spec.Version) []string {
	var nullable []string
	if v.Root != nil {
		for _, p := range v.Root.Properties {
			if !slices.Contains(kubernetesFields, p.Name) && canBeNull(p.Schema, slices.Contains(v.Root.Keywords.Required, p.Name)) {
				nullable = append(nullable, p.Name)
			}
		}
	}
	if v.Spec != nil && canBeNull(v.Spec, crdgen.RootRequires(v, "spec")) {
		nullable = append(nullable, "spec")
	}
	if v.Status != nil && canBeNull(v.Status, crdgen.RootRequires(v, "status")) {
		nullable = append(nullable, "status")
	}
	return nullable
}

// rootField returns the field for spec or status, which is not a pointer. An empty status is
// omitted, because it means that there is none yet. An empty spec is written, so that the API
// server sets the defaults below it, unless an empty spec would be invalid.
func (b *packageBuilder) rootField(v *spec.Version, n node, name, tag string) Field {
	required := crdgen.RootRequires(v, tag)
	if !required && (tag == "status" || canBeNull(n.schema, required) || !rootAcceptsZero(v, tag, n.schema)) {
		tag += ",omitzero"
	}
	n.hasCrossFieldRules = n.hasCrossFieldRules || hasOwnCrossFieldRules(n.schema)
	f := Field{Name: name, Tag: tag, Doc: n.fieldDoc(), Markers: []string{presenceMarker(required)}}
	f.Type = &GoType{Shape: Name, Name: n.name, Form: kubetypes.Struct}
	if IsStruct(n.schema) {
		b.declareStruct(n)
	} else {
		f.Type = b.rootType(n)
		f.Markers = append(f.Markers, validationMarkers(n.schema)...)
		f.Markers = append(f.Markers, itemMarkers(n.schema)...)
		if f.Doc == nil && n.schema.Use == nil {
			f.Doc = commentLines(crdgen.FullSchema(n.schema).Description) // a struct field has no description unless it has a comment
		}
	}
	f.Markers = append(f.Markers, useMarkers(n.schema)...)
	return f
}

// rootAcceptsZero reports whether the zero value of the Go type of a spec or a status is valid. Such a
// field is written even if it is zero, so that readers can distinguish it from an absent one.
func rootAcceptsZero(v *spec.Version, name string, s *spec.Schema) bool {
	if IsStruct(s) && len(s.Keywords.Required) == 0 && !crdgen.HasCrossFieldRules(&s.Keywords) && !crdgen.RootHasRulesFor(v, name) {
		return true
	}
	return crdgen.AcceptsZero(v, name, s)
}

// rootType declares the type of a spec or status that is not an object with properties. It has the
// usual name: type EchoServerSpec map[string]string.
func (b *packageBuilder) rootType(n node) *GoType {
	of := b.typeOf(n)
	if n.schema.Use != nil {
		return of
	}
	t := Type{Name: n.name, Doc: n.ownDoc()}
	if of.Shape == Name && of.Package != "" {
		t.Fields = []Field{{Type: of, Tag: ",inline"}}
		b.pkg.Types = append(b.pkg.Types, t)
		return &GoType{Shape: Name, Name: n.name, Form: kubetypes.Struct}
	}
	t.Of = of
	b.pkg.Types = append(b.pkg.Types, t)
	return namedType(n.name, of)
}

func presenceMarker(required bool) string {
	if required {
		return "+required"
	}
	return "+optional"
}

// declareStruct declares the struct of an object node under the node's own name.
func (b *packageBuilder) declareStruct(n node) *GoType {
	at := len(b.pkg.Types)
	b.pkg.Types = append(b.pkg.Types, Type{}) // the struct is written before the types of its fields
	t := Type{Name: n.name, Markers: validationMarkers(n.schema), Doc: n.ownDoc()}
	required := n.schema.Keywords.Required
	var nullable []string
	for _, p := range n.schema.Properties {
		t.Fields = append(t.Fields, b.fieldOf(n, p, slices.Contains(required, p.Name)))
		if canBeNull(p.Schema, slices.Contains(required, p.Name)) {
			nullable = append(nullable, p.Name)
		}
	}
	keepNulls(&t, nullable)
	addUnknownFields(&t, n.schema)
	b.pkg.Types[at] = t
	return &GoType{Shape: Name, Name: n.name, Form: kubetypes.Struct}
}

// fieldOf returns the field for a property.
func (b *packageBuilder) fieldOf(parent node, p spec.Property, required bool) Field {
	name := p.GoName
	n := node{
		schema: Expand(p.Schema), name: parent.prefix + name,
		path: parent.path + "." + p.Name, status: parent.status,
		hasCrossFieldRules: parent.hasCrossFieldRules || hasOwnCrossFieldRules(p.Schema),
	}
	f := Field{Name: name, Doc: n.fieldDoc(), Markers: []string{presenceMarker(required)}}
	t := b.fieldType(parent, n, p.Name)
	f.Type, f.Tag = fieldTypeAndTag(t, n, required)
	f.Tag = p.Name + f.Tag
	if !declaresType(n.schema) {
		f.Markers = append(f.Markers, validationMarkers(n.schema)...)
		f.Markers = append(f.Markers, itemMarkers(n.schema)...)
	}
	f.Markers = append(f.Markers, useMarkers(n.schema)...)
	return f
}

// authoredKind returns the kind of a version whose Go types an author owns.
func authoredKind(k kindVersion, clients bool) Kind {
	kind := Kind{API: k.api, Name: k.api.Names.GoKind, List: listName(k, clients), GoTypes: true}
	if a := k.version.Authored; a != nil {
		kind.Spec, kind.Status, kind.Authored = a.Spec, a.Status, a
	}
	if clients {
		kind.ClientMarkers = authoredClientMarkers(k)
	}
	return kind
}
