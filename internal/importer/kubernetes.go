package importer

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/kubetypes"
)

// kubernetesType is a type of Kubernetes, as far as it matters whether a schema is its.
type kubernetesType struct {
	name        string // empty: none
	shapes      shapes
	description string // of the type
}

// shapes are those of a type by the fields that its schema names of metadata where it holds an
// object.
type shapes struct{ all, labels, none digest }

// in returns the one that a file has.
func (s shapes) in(metadata kubetypes.Metadata) digest {
	switch metadata {
	case kubetypes.AllMetadata:
		return s.all
	case kubetypes.NoMetadata:
		return s.none
	}
	return s.labels
}

// kubernetesType returns the Kubernetes type whose schema an object has, description by
// description: what uses of a type say for themselves aside.
func (c *typeFinder) kubernetesType(n *yaml.Node) kubernetesType {
	fields := lookupKey(n, "properties")
	if fields == nil || len(fields.Content) == 0 || scalarText(lookupKey(n, "type")) != "object" {
		return kubernetesType{}
	}
	shape := c.prints.of(n).shape
	known, found := c.kubernetes[shape]
	if !found {
		known = lookupKubernetes(fields, func(t kubernetesType) bool { return t.shapes.in(c.metadata) == shape })
		c.kubernetes[shape] = known
	}
	if known.description != "" && scalarText(lookupKey(n, "description")) == "" {
		return kubernetesType{} // it would bring its description along
	}
	return known
}

func lookupKubernetes(fields *yaml.Node, is func(kubernetesType) bool) kubernetesType {
	var names []string
	for _, e := range entriesOf(fields) {
		names = append(names, e.key.Value)
	}
	for _, candidate := range kubetypes.TypesWithFields(names) {
		if t := knownType(candidate); is(t) {
			return t
		}
	}
	return kubernetesType{}
}

// knownTypes are the types of Kubernetes that were asked for, and those that they are made of.
type knownTypes struct {
	sync.Mutex
	byName map[string]kubernetesType
}

var known = knownTypes{byName: map[string]kubernetesType{}}

func knownType(name string) kubernetesType {
	known.Lock()
	defer known.Unlock()
	return known.of(name)
}

// of returns a type by name. Its shapes are made once, from those of the types that it is made of.
func (k *knownTypes) of(name string) kubernetesType {
	if t, found := k.byName[name]; found {
		return t
	}
	t, _ := kubetypes.Referring(name)
	made := kubernetesType{name: name, description: t.Schema.Description}
	shape := func(metadata kubetypes.Metadata) digest {
		if name == kubetypes.ObjectMeta {
			return k.shape(kubetypes.WithMetadata(t.Schema, metadata), metadata)
		}
		return k.shape(t.Schema, metadata)
	}
	made.shapes = shapes{shape(kubetypes.AllMetadata), shape(kubetypes.LabelMetadata), shape(kubetypes.NoMetadata)}
	k.byName[name] = made
	return made
}

// shape returns the shape of a schema with references.
func (k *knownTypes) shape(s apiextv1.JSONSchemaProps, metadata kubetypes.Metadata) digest {
	n := schemaNode(&s)
	if n == nil {
		return digest{}
	}
	p := prints{}
	k.referring(p, n, metadata)
	return p.of(n).shape
}

// referring notes the prints of the references in a schema: each has the shape of a type.
func (k *knownTypes) referring(p prints, n *yaml.Node, metadata kubetypes.Metadata) {
	if ref := lookupKey(n, "$ref"); ref != nil {
		var own []byte
		for _, e := range sortedEntries(n) {
			if slices.Contains(useKeywords, e.key.Value) && !isEmptyKeyword(e) {
				own = appendValue(appendText(own, e.key.Value), e.value)
			}
		}
		p[n] = newPrint(k.of(ref.Value).shapes.in(metadata), own)
		return
	}
	for _, e := range entriesOf(lookupKey(n, "properties")) {
		k.referring(p, e.value, metadata)
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if below := lookupKey(n, name); below != nil {
			k.referring(p, below, metadata)
		}
	}
}

// schemaNode returns a schema of the API as a CRD has it; nil when it is none, which cannot be.
func schemaNode(s *apiextv1.JSONSchemaProps) *yaml.Node {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	decode := json.NewDecoder(strings.NewReader(string(raw)))
	decode.UseNumber()
	var value any
	if decode.Decode(&value) != nil {
		return nil
	}
	return jsonNode(value)
}

// jsonNode returns a JSON value as a YAML node.
func jsonNode(v any) *yaml.Node {
	switch v := v.(type) {
	case map[string]any:
		m := newMapping()
		for name, value := range v {
			m.set(name, jsonNode(value))
		}
		return m.Node
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range v {
			n.Content = append(n.Content, jsonNode(item))
		}
		return n
	case string:
		return textNode(v)
	case bool:
		return boolNode(v)
	case json.Number:
		tag := "!!float"
		if decimal().MatchString(v.String()) {
			tag = "!!int"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: v.String()}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}
