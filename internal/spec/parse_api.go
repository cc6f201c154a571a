package spec

import (
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ParseAPI reads the file of an API and fills in what it leaves out. It needs no project. The file is a name for
// positions; nothing is read from disk. The shared types are those that the file can use beside its own. The API is
// nil when there are problems, which are in the order of their positions.
func ParseAPI(file string, data []byte, shared ...*NamedType) (*API, Problems) {
	api, problems := ParsePart(file, data, shared...)
	if len(problems) > 0 {
		return nil, problems
	}
	return api, nil
}

// ParsePart is ParseAPI for who looks for more mistakes: beside the problems it returns what could be read, with
// the broken parts left out. The API is nil when nothing could be read.
func ParsePart(file string, data []byte, shared ...*NamedType) (*API, Problems) {
	d, root := document(file, data)
	if root == nil {
		return nil, d.problems
	}
	if d.otherFile(root) {
		return nil, d.problems
	}
	api := &API{File: file, Pos: d.src.pos(root), Scope: Namespaced, At: map[string]Pos{}}
	d.record(api.At, "", withoutSchemas(root))
	known := d.header("API")
	d.announce(root, shared)
	d.lenient = accepts(root, WarnUnsatisfiable)
	known["types"] = d.types(&api.Types)
	known["group"] = d.group(&api.Group)
	known["names"] = d.names(&api.Names)
	known["metadata"] = d.metadata(api)
	known["conversion"] = d.conversion(&api.Conversion)
	embedded := true
	known["embeddedMetadata"] = d.flag(&embedded)
	known["acceptWarnings"] = d.acceptWarnings(&api.AcceptWarnings)
	known["scope"] = word(d, &api.Scope, Namespaced, Cluster)
	known["versions"] = d.list(func(n *yaml.Node, path string) {
		api.Versions = append(api.Versions, d.version(n, path, d.hasOperator(root)))
	})
	known["operator"] = d.operator(&api.Operator)
	d.mapping(root, "", known)
	api.BareMetadata = !embedded
	d.need(root, "", "apiVersion", "kind", "group", "names", "versions")
	d.apiNames(root, api)
	d.servedAndStored(root, api)
	d.selfChildren(api)
	return api, d.problems.Sorted()
}

// otherFile reports a file that says it is something else than that of an API, which it then has nothing in common
// with.
func (d *decoder) otherFile(root *yaml.Node) bool {
	_, n := lookup(root, "kind")
	switch {
	case n == nil:
		return false
	case n.Value == "Project":
		d.fail(n, "kind", "a project is described in opgen.yaml, and this is the file of an API", "")
	case n.Value == "Types":
		d.fail(n, "kind", "a file of types describes no API", "name it beside the file of an API that uses them")
	case n.Value == "Controller":
		d.fail(n, "kind", "a controller for kinds that exist already describes no API, and so has no CustomResourceDefinition", "its place is controllers/")
	default:
		return false
	}
	return true
}

func (d *decoder) hasOperator(root *yaml.Node) bool {
	_, operator := lookup(root, "operator")
	return operator != nil
}

// withoutSchemas returns a document without its types and the schemas of its versions: they know their own
// positions.
func withoutSchemas(n *yaml.Node) *yaml.Node {
	pruned := *n
	pruned.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch key.Value {
		case "types":
			continue
		case "versions":
			value = withoutKeys(value, "spec", "status", "schema")
		}
		pruned.Content = append(pruned.Content, key, value)
	}
	return &pruned
}

// withoutKeys returns a list of mappings without some of their keys' content.
func withoutKeys(list *yaml.Node, names ...string) *yaml.Node {
	pruned := *list
	pruned.Content = nil
	for _, item := range list.Content {
		copied := *item
		copied.Content = append([]*yaml.Node(nil), item.Content...)
		for i := 0; item.Kind == yaml.MappingNode && i+1 < len(item.Content); i += 2 {
			for _, name := range names {
				if item.Content[i].Value == name {
					bare := *item.Content[i+1]
					bare.Content = nil
					copied.Content[i+1] = &bare
				}
			}
		}
		pruned.Content = append(pruned.Content, &copied)
	}
	return &pruned
}

// apiNames checks what concerns several names.
func (d *decoder) apiNames(root *yaml.Node, api *API) {
	if name := api.Names.Plural + "." + api.Group; len(name) > 253 {
		d.failAt(api.At["group"], "group", "the name of the CRD, plural.group, has "+strconv.Itoa(len(name))+" characters", "at most 253")
	}
	if lower := strings.ToLower(api.Names.GoKind); api.Names.Kind != "" && d.hasOperator(root) && !isPackageName(lower) {
		d.failAt(api.At["names.kind"], "names.kind", "the operator's Go package cannot have the name "+lower, "choose another kind, such as My"+api.Names.Kind)
	}
	if slices.Contains(PackageNames(), api.Names.GoKind) {
		d.failAt(api.At["names.kind"], "names.kind", "the Go package of the kind declares "+api.Names.GoKind+" itself",
			"give the Go type another name: goKind: My"+api.Names.GoKind)
	}
	if _, written := api.At["names.singular"]; !written && api.Names.Singular != "" && !isLabel(api.Names.Singular) && api.Names.Kind != "" {
		d.failAt(api.At["names.kind"], "names.kind", "gives the singular "+strconv.Quote(api.Names.Singular)+", which is not a DNS label", "set names.singular")
	}
	if _, written := api.At["names.plural"]; !written && !isLabel(api.Names.Plural) && api.Names.Kind != "" {
		d.failAt(api.At["names.kind"], "names.kind", "gives the plural "+strconv.Quote(api.Names.Plural)+", which is not a DNS label", "set names.plural")
	}
}

// servedAndStored checks the versions as a whole, and fills in served and storage of one that is alone.
func (d *decoder) servedAndStored(root *yaml.Node, api *API) {
	_, list := lookup(root, "versions")
	if list == nil || list.Kind != yaml.SequenceNode {
		return
	}
	if len(list.Content) == 0 {
		d.fail(list, "versions", "has no version", "")
		return
	}
	alone := len(api.Versions) == 1
	stored, seen := 0, map[string]bool{}
	for i := range api.Versions {
		v, path := &api.Versions[i], at("versions", i)
		if _, set := api.At[path+".storage"]; alone && !set {
			v.Storage = true
		}
		if v.Name != "" && seen[v.Name] {
			d.failAt(v.Pos, path+".name", "duplicate version "+v.Name, "")
		}
		seen[v.Name] = true
		if v.Storage {
			stored++
		}
	}
	if stored != 1 {
		d.fail(list, "versions", strconv.Itoa(stored)+" versions have storage: true", "exactly one must have it")
	}
}
