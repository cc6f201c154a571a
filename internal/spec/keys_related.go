package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/opgen-dev/opgen/internal/jsonschema"
)

// relatedMapping returns the keys of a related kind, whose objects Sync reads.
func relatedMapping(r *Related) Mapping {
	const all = "all objects"
	return Mapping{Name: "related", pos: &r.Pos, Keys: append(resourceKeys(&r.Resource, "it may be listed several times, each with an `as` of its own"), []Key{
		fieldNameKey(&r.Resource),
		{Name: "name", Absent: all, value: formedText(&r.Name, &objectNameForm), Doc: "the name of the only object that is meant"},
		{Name: "nameFrom", Absent: all, value: formedText(&r.NameFrom, &nameFromForm), Doc: "path in the parent to a name or a list of names. A dot in a name of the path is written as `\\.`, as in `.metadata.annotations.example\\.com/settings`"},
		{Name: "selector", Absent: all, value: labelSelector(&r.Selector),
			Doc: "the labels of the objects, in kubectl's syntax, such as `app=web,tier!=db`, or as `{matchLabels, matchExpressions}`"},
		{Name: "selectorFrom", Absent: all, value: formedText(&r.SelectorFrom, &selectorFromForm), Doc: "path in the parent to a label selector or a map of labels, written as that of `nameFrom`"},
		{Name: "match", Absent: all, value: pathPairs(&r.Match),
			Doc: "paths in an object and in the parent to the same value, such as `{.spec.clusterName: .metadata.name}`: the objects that name the parent. A dot in a name is written as `\\.`; it goes with `selector`"},
		{Name: "from", Absent: "the parent", value: formedText(&r.From, &goFieldForm),
			Doc: "the `as` of another entry, whose objects stand in place of the parent: its paths, and its namespace, are those of each of them. They are read first; see [children.md](children.md#related-objects-of-related-objects)"},
		{Name: "ofChild", Absent: all, value: formedText(&r.OfChild, &goFieldForm),
			Doc: "the `as` of an entry of children, such as `Deployments`: the objects that such a child controls, also through the ReplicaSets of a Deployment; it requires `selector`, which limits the watch"},
		{Name: "dynamic", value: trueOrFalseBy(false, &r.Dynamic), Doc: "the author implements Related, which says which objects are meant"},
		{Name: "namespaces", Absent: "`Parent`, and `All` for a parent in no namespace", value: namespaceChoice(r),
			Doc: "where the objects are: in the namespace of the `Parent`, in `All`, in those of a list, or in those that a path in the parent leads to"},
		{Name: "cache", value: wordOr(CacheFull, &r.Cache, CacheFull, CacheMetadata),
			Doc: "what is kept of the objects in memory: whole objects (`full`), or their `metadata` alone, which is all that Sync sees of them then"},
		{Name: "delete", value: trueOrFalseBy(false, &r.Delete), Doc: "Sync may have the objects deleted, by `Delete` of its response; the role has the right to; see [children.md](children.md#deleting-related-objects)"},
		{Name: "patch", value: trueOrFalseBy(false, &r.Patch), Doc: "Sync may set fields of the objects, such as a label, by `Patches` of its desired state; the role has the right to; see [children.md](children.md#fields-of-related-objects)"},
		{Name: "optional", value: trueOrFalseBy(false, &r.Optional), Doc: "the CRD of the kind may be absent, come and go: Sync sees that by `Served` of the snapshot. Otherwise the controller waits for the CRD"},
		{Name: "access", value: wordOr(AccessWatch, &r.Access, AccessWatch, AccessGet),
			Doc: "how Sync gets at the objects: from memory, and it runs again when they change (`watch`), or by a request for each name in each reconcile (`get`), which needs no right to list them; see [children.md](children.md#what-the-watch-of-an-entry-costs)"},
	}...), rules: relatedRules, finish: func(d *decoder, n *yaml.Node, path string) {
		r.setGoField(d, n, path)
		d.checkMatchedMetadata(r, n, path)
	}}
}

// relatedRules allow only one way to select the objects.
var relatedRules = []rule{
	{oneOf: []condition{hasKey("name"), hasKey("nameFrom"), hasKey("selector"), hasKey("selectorFrom"), isTrueAt("dynamic")},
		hint: hintText("one of name, nameFrom, selector, selectorFrom, dynamic says which objects are meant; list the kind twice for both")},
	{oneOf: []condition{hasKey("name"), hasKey("nameFrom"), hasKey("selectorFrom"), isTrueAt("dynamic"), hasKey("match"), hasKey("ofChild")},
		hint: func(key, _ string) string {
			if key == "ofChild" {
				return "ofChild selects by the owner, and goes with selector alone; list the kind twice for both"
			}
			return "match selects by fields, and goes with selector alone; list the kind twice for both"
		}},
	{when: []condition{hasKey("ofChild")}, requires: []string{"selector"},
		message: func(string, string) string { return "lacks a selector" },
		hint:    hintText("ofChild requires labels, which limit what the operator keeps of the kind: selector: app=web")},
	{when: []condition{hasKey("ofChild")}, excludes: []string{"from", "namespaces"},
		hint: hintText("leave it out: the objects are where the child is")},
	{when: []condition{isTrueAt("dynamic"), noKey("name"), noKey("nameFrom"), noKey("selector"), noKey("selectorFrom")}, excludes: []string{"namespaces"},
		message: func(string, string) string { return "does not go with dynamic" },
		hint:    hintText("the Related method says in which namespaces, too")},
	{when: []condition{hasKey("from"), noKey("nameFrom"), noKey("selectorFrom"), noKey("match")}, excludes: []string{"from"},
		message: func(string, string) string { return "has no path to read in the objects of another entry" },
		hint:    hintText("write nameFrom, selectorFrom or match, or leave from out")},
	{when: []condition{hasKey("from"), isOneOf("namespaces", namespacesParent)}, excludes: []string{"namespaces"},
		hint: hintText("leave it out: the objects are where those are that name them")},
	{when: []condition{isOneOf("access", AccessGet)}, excludes: []string{"selector", "selectorFrom", "match", "ofChild"},
		hint: hintText("access: get reads objects by their names: write name, nameFrom or dynamic")},
	{when: []condition{isOneOf("access", AccessGet), noKey("name"), noKey("nameFrom"), noKey("selector"), noKey("selectorFrom"), noKey("match"), noKey("dynamic")}, excludes: []string{"access"},
		message: func(string, string) string { return "get needs the names of the objects" },
		hint:    hintText("write name, nameFrom or dynamic, or leave access out")},
	{when: []condition{isOneOf("access", AccessGet), isTrueAt("patch")}, excludes: []string{"patch"},
		hint: hintText("a patch is found again by a watch of the objects that carry one: leave access out")},
	{when: []condition{isOneOf("access", AccessGet), isOneOf("namespaces", namespacesAll)}, excludes: []string{"namespaces"},
		hint: hintText("a request names one namespace: list the namespaces, or leave the key out for the parent's")},
}

// The words that the key namespaces accepts.
const (
	namespacesAll    = "All"
	namespacesParent = "Parent"
)

// namespaceChoice accepts the namespaces of related objects: All, Parent, a list of names, or a
// path in the parent.
func namespaceChoice(r *Related) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			if n.Kind == yaml.SequenceNode {
				d.decodeNamespaceList(n, path, &r.Namespaces, namespacesAll)
				return
			}
			if text, ok := d.decodeText(n, path); ok {
				d.decodeNamespaceWord(text, n, path, r)
			}
		},
		schema: func(*Language) *jsonschema.Schema {
			words := jsonschema.Matching(`^(All|Parent|`+escapedNameSteps+`)$`,
				"All, Parent, or a path in the parent; write names of namespaces as a list", "All", "Parent", ".spec.namespaces")
			return jsonschema.Either(words, "array", namespaceListSchema())
		},
	}
}

func namespaceListSchema() *jsonschema.Schema {
	list := jsonschema.List(namespaceForm.schema())
	list.MinItems, list.UniqueItems = 1, true
	return list
}

func (d *decoder) decodeNamespaceWord(text string, n *yaml.Node, path string, r *Related) {
	switch {
	case text == namespacesParent:
	case text == namespacesAll:
		r.Namespaces = []string{AllNamespaces}
	case strings.HasPrefix(text, "."):
		if message, hint := checkParentPath(text, path); message != "" {
			d.fail(n, path, message, hint)
			return
		}
		r.NamespacesFrom = text
	case isNamespace(text):
		d.fail(n, path, quoteShort(text)+" is not accepted", "for the namespace of this name write a list: ["+text+"]")
	default:
		d.fail(n, path, quoteShort(text)+" is not accepted", "accepted: All, Parent, a list of names, or a path in the parent such as .spec.namespaces")
	}
}

// decodeNamespaceList decodes a list of namespaces. all is the word for every namespace, for hints.
func (d *decoder) decodeNamespaceList(n *yaml.Node, path string, into *[]string, all string) {
	if len(n.Content) == 0 {
		d.fail(n, path, "has no namespace", "leave the key out, or write "+all)
	}
	d.eachItem(n, path, func(n *yaml.Node, path string) {
		var name string
		formedText(&name, &namespaceForm).decode(d, n, path)
		switch {
		case name == "":
		case slices.Contains(*into, name):
			d.fail(n, path, quoteShort(name)+" is listed twice", "")
		default:
			*into = append(*into, name)
		}
	})
}

// checkDistinctRelated adds a problem for related kinds with the same Go field.
func (d *decoder) checkDistinctRelated(related []Related, path string) {
	fields := map[string]int{}
	for i, r := range related {
		if r.Kind == "" {
			continue
		}
		if first, ok := fields[r.As]; ok {
			other := related[first]
			d.failAt(r.Pos, indexPath(path, i), "its Go field "+r.As+" is already that of "+other.Kind+" of "+other.APIVersion, "set another one: as: Other"+r.As)
			continue
		}
		fields[r.As] = i
	}
}
