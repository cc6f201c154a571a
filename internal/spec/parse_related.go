package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// selections are the keys that say which objects of a related kind are meant.
var selections = []string{"name", "nameFrom", "selector", "selectorFrom", "dynamic"}

// related decodes one kind of objects that Sync reads.
func (d *decoder) related(n *yaml.Node, path string) Related {
	r := Related{Cache: CacheFull}
	ok := d.resource(n, path, &r.Resource, keys{
		"name":         d.objectName(&r.Name),
		"nameFrom":     d.parentPath(&r.NameFrom),
		"selector":     d.labelSelector(&r.Selector),
		"selectorFrom": d.parentPath(&r.SelectorFrom),
		"dynamic":      d.flag(&r.Dynamic),
		"namespaces":   d.namespaces(&r),
		"cache":        word(d, &r.Cache, CacheFull, CacheMetadata),
	})
	if ok {
		d.oneSelection(n, path)
	}
	return r
}

// oneSelection reports the keys that select objects beside the first that does.
func (d *decoder) oneSelection(n *yaml.Node, path string) {
	first := ""
	for _, key := range selections {
		name, value := lookup(n, key)
		switch {
		case name == nil || key == "dynamic" && value.Value == "false":
		case first == "":
			first = key
		default:
			d.fail(name, join(path, key), "does not go with "+first, "one of "+strings.Join(selections, ", ")+" says which objects are meant; list the kind twice for both")
		}
	}
	if name, _ := lookup(n, "namespaces"); first == "dynamic" && name != nil {
		d.fail(name, join(path, "namespaces"), "does not go with dynamic", "the Related method says in which namespaces, too")
	}
}

// objectName decodes the name of an object.
func (d *decoder) objectName(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		switch {
		case !ok:
		case strings.HasPrefix(value, "."):
			d.fail(n, path, quoteShort(value)+" is not the name of an object", "for a field of the parent write nameFrom: "+value)
		case value == "" || len(value) > 253 || strings.ContainsAny(value, "/% \t\n") || value == "..":
			d.fail(n, path, quoteShort(value)+" is not the name of an object", "such as app-settings, at most 253 characters")
		default:
			*into = value
		}
	}
}

// parentPath is a path of fields of the parent; no items, since those have no names that stay.
var parentPath = lazyregexp.New(`^(\.[A-Za-z_][A-Za-z0-9_-]*)+$`)

// parentPath decodes a path of fields of the parent. Where it leads is for who knows the parent's schema to say.
func (d *decoder) parentPath(into *string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		if value, ok := d.str(n, path); ok && d.isParentPath(n, path, value) {
			*into = value
		}
	}
}

func (d *decoder) isParentPath(n *yaml.Node, path, value string) bool {
	if parentPath().MatchString(value) {
		return true
	}
	hint := "such as .spec.settings"
	switch {
	case parentPath().MatchString("." + value):
		hint = "a path starts with a dot: ." + value
	case strings.Contains(value, "["):
		hint = "items of lists have no path: write dynamic: true, and the Related method says which objects"
	}
	d.fail(n, path, quoteShort(value)+" is not a path of fields of the parent", hint)
	return false
}

// labelSelector decodes a label selector in kubectl's syntax, or as Kubernetes objects have it, which becomes the same.
func (d *decoder) labelSelector(into *string) func(n *yaml.Node, path string) {
	return d.objectSelector(into, "label selector", "matchLabels")
}

// annotationSelector is labelSelector for annotations, with matchAnnotations in the place of matchLabels if wanted. The
// values that it knows are those of labels.
func (d *decoder) annotationSelector(into *string) func(n *yaml.Node, path string) {
	return d.objectSelector(into, "selector of annotations", "matchLabels", "matchAnnotations")
}

// objectSelector decodes a selector of some sort, the mapping of which has the pairs under any of the keys given.
func (d *decoder) objectSelector(into *string, sort string, pairs ...string) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		if n.Kind == yaml.MappingNode {
			d.selectorMapping(n, path, into, sort, pairs)
			return
		}
		value, ok := d.str(n, path)
		if !ok || !d.whole(n, path) {
			return
		}
		selector, err := labels.Parse(value)
		switch {
		case err != nil:
			d.fail(n, path, quoteShort(value)+" is not a "+sort+": "+oneLine(err), "such as app=web,tier!=db or env in (dev, test)")
		case selector.Empty():
			d.fail(n, path, "selects everything", "leave the key out where that is meant")
		default:
			*into = canonical(selector)
		}
	}
}

// selectorMapping decodes {matchLabels, matchExpressions}.
func (d *decoder) selectorMapping(n *yaml.Node, path string, into *string, sort string, pairs []string) {
	s := metav1.LabelSelector{MatchLabels: map[string]string{}}
	before := len(d.problems)
	known := keys{
		"matchExpressions": d.list(func(n *yaml.Node, path string) {
			s.MatchExpressions = append(s.MatchExpressions, d.requirement(n, path))
		}),
	}
	for _, key := range pairs {
		known[key] = func(n *yaml.Node, path string) {
			d.entries(n, path, func(key, value *yaml.Node, path string) {
				if text, ok := d.str(value, path); ok {
					s.MatchLabels[key.Value] = text
				}
			})
		}
	}
	d.mapping(n, path, known)
	if again, _ := lookup(n, "matchAnnotations"); again != nil {
		if labels, _ := lookup(n, "matchLabels"); labels != nil {
			d.fail(labels, join(path, "matchLabels"), "does not go with matchAnnotations", "they mean the same here: write one of them")
		}
	}
	if len(d.problems) > before {
		return
	}
	selector, err := metav1.LabelSelectorAsSelector(&s)
	switch {
	case err != nil:
		d.fail(n, path, "is not a "+sort+": "+oneLine(err), "")
	case selector.Empty():
		d.fail(n, path, "selects everything", "leave the key out where that is meant")
	default:
		*into = canonical(selector)
	}
}

// canonical writes a selector in kubectl's syntax, in which = and == mean the same.
func canonical(selector labels.Selector) string {
	return strings.ReplaceAll(selector.String(), "==", "=")
}

// requirement decodes one of matchExpressions.
func (d *decoder) requirement(n *yaml.Node, path string) metav1.LabelSelectorRequirement {
	var r metav1.LabelSelectorRequirement
	ok := d.mapping(n, path, keys{
		"key": d.text(&r.Key),
		"operator": word(d, &r.Operator, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn,
			metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist),
		"values": d.texts(&r.Values),
	})
	if !ok {
		return r
	}
	d.need(n, path, "key", "operator")
	name, values := lookup(n, "values")
	switch r.Operator {
	case metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn:
		if values == nil || len(r.Values) == 0 {
			d.fail(n, path, "has no values", "give those that operator "+string(r.Operator)+" compares with")
		}
	case metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist:
		if name != nil {
			d.fail(name, join(path, "values"), "does not go with operator "+string(r.Operator), "")
		}
	}
	return r
}

// The words of namespaces.
const (
	namespacesAll    = "All"
	namespacesParent = "Parent"
)

// namespaces decodes where related objects lie: All, Parent, a list of names, or a path in the parent.
func (d *decoder) namespaces(r *Related) func(n *yaml.Node, path string) {
	return func(n *yaml.Node, path string) {
		if n.Kind == yaml.SequenceNode {
			d.namespaceList(n, path, r)
			return
		}
		value, ok := d.str(n, path)
		switch {
		case !ok || value == namespacesParent:
		case value == namespacesAll:
			r.Namespaces = []string{AllNamespaces}
		case strings.HasPrefix(value, "."):
			if d.isParentPath(n, path, value) {
				r.NamespacesFrom = value
			}
		case isNamespace(value):
			d.fail(n, path, quoteShort(value)+" is not accepted", "for the namespace of this name write a list: ["+value+"]")
		default:
			d.fail(n, path, quoteShort(value)+" is not accepted", "accepted: All, Parent, a list of names, or a path in the parent such as .spec.namespaces")
		}
	}
}

func (d *decoder) namespaceList(n *yaml.Node, path string, r *Related) {
	if len(n.Content) == 0 {
		d.fail(n, path, "has no namespace", "leave the key out, or write All")
	}
	d.list(func(n *yaml.Node, path string) {
		value, ok := d.str(n, path)
		switch {
		case !ok:
		case !isNamespace(value):
			d.fail(n, path, quoteShort(value)+" is not the name of a namespace", "use lower-case letters, digits and -, at most 63 characters")
		case slices.Contains(r.Namespaces, value):
			d.fail(n, path, quoteShort(value)+" is listed twice", "")
		default:
			r.Namespaces = append(r.Namespaces, value)
		}
	})(n, path)
}

func isNamespace(name string) bool { return len(validation.IsDNS1123Label(name)) == 0 }

// distinctRelated reports related kinds that would be the same Go field.
func (d *decoder) distinctRelated(related []Related, path string) {
	fields := map[string]int{}
	for i, r := range related {
		if r.Kind == "" {
			continue
		}
		if first, ok := fields[r.As]; ok {
			other := related[first]
			d.failAt(r.Pos, at(path, i), "its Go field "+r.As+" is that of "+other.Kind+" of "+other.APIVersion+" too", "set another one: as: Other"+r.As)
			continue
		}
		fields[r.As] = i
	}
}

// oneLine is the text of an error of a library without its line ends and regular expressions.
func oneLine(err error) string {
	text, _, _ := strings.Cut(strings.Join(strings.Fields(err.Error()), " "), " (e.g. ")
	return text
}
