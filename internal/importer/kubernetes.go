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

// kubernetesType is what identifies the schema of a type of Kubernetes, such as core/v1.PodSpec.
type kubernetesType struct {
	name        string // empty: no type
	digests     metadataDigests
	description string // of the type
}

// metadataDigests are the asType digests of one type. They differ in the fields that the schema
// lists for the metadata of embedded objects: all, name with labels and annotations, or none. See
// embeddedMetadata of the spec language.
type metadataDigests struct{ all, labels, none digest }

// with returns the digest for one choice of fields.
func (s metadataDigests) with(metadata kubetypes.Metadata) digest {
	switch metadata {
	case kubetypes.AllMetadata:
		return s.all
	case kubetypes.NoMetadata:
		return s.none
	}
	return s.labels
}

// kubernetesType returns the Kubernetes type with the same schema as an object, perUseKeywords
// aside. Descriptions of fields must be the same, too, or the round trip would change them.
func (c *typeFinder) kubernetesType(n *yaml.Node) kubernetesType {
	fields := lookupKey(n, "properties")
	if fields == nil || len(fields.Content) == 0 || scalarText(lookupKey(n, "type")) != "object" {
		return kubernetesType{}
	}
	asType := c.digester.digests(n).asType
	known, found := c.kubernetes[asType]
	if !found {
		known = findKubernetesType(fields, func(t kubernetesType) bool { return t.digests.with(c.metadata) == asType })
		c.kubernetes[asType] = known
	}
	if known.description != "" && scalarText(lookupKey(n, "description")) == "" {
		return kubernetesType{} // by name, the schema would get the description of the type
	}
	return known
}

// findKubernetesType returns the first Kubernetes type with the given fields that matches.
func findKubernetesType(fields *yaml.Node, matches func(kubernetesType) bool) kubernetesType {
	var names []string
	for _, e := range entriesOf(fields) {
		names = append(names, e.key.Value)
	}
	for _, candidate := range kubetypes.TypesWithFields(names) {
		if t := kubernetesTypeByName(candidate); matches(t) {
			return t
		}
	}
	return kubernetesType{}
}

// typeCache has the types of Kubernetes that were looked up so far, and the types of their fields.
type typeCache struct {
	sync.Mutex
	byName map[string]kubernetesType
}

var kubernetesTypes = typeCache{byName: map[string]kubernetesType{}}

func kubernetesTypeByName(name string) kubernetesType {
	kubernetesTypes.Lock()
	defer kubernetesTypes.Unlock()
	return kubernetesTypes.lookup(name)
}

// lookup returns a type by name. It computes the digests at the first call, from those of the types
// of its fields.
func (k *typeCache) lookup(name string) kubernetesType {
	if t, found := k.byName[name]; found {
		return t
	}
	t, _ := kubetypes.Referring(name)
	made := kubernetesType{name: name, description: t.Schema.Description}
	digestWith := func(metadata kubetypes.Metadata) digest {
		if name == kubetypes.ObjectMeta {
			return k.digestSchema(kubetypes.WithMetadata(t.Schema, metadata), metadata)
		}
		return k.digestSchema(t.Schema, metadata)
	}
	made.digests = metadataDigests{digestWith(kubetypes.AllMetadata), digestWith(kubetypes.LabelMetadata), digestWith(kubetypes.NoMetadata)}
	k.byName[name] = made
	return made
}

// digestSchema returns the asType digest of a schema that refers to other types by $ref.
func (k *typeCache) digestSchema(s apiextv1.JSONSchemaProps, metadata kubetypes.Metadata) digest {
	n := schemaNode(&s)
	if n == nil {
		return digest{}
	}
	p := digester{}
	k.digestRefs(p, n, metadata)
	return p.digests(n).asType
}

// digestRefs adds the digests of the references in a schema to d. A reference has the digests that
// the schema of the type would have in its place.
func (k *typeCache) digestRefs(p digester, n *yaml.Node, metadata kubetypes.Metadata) {
	if ref := lookupKey(n, "$ref"); ref != nil {
		var own []byte
		for _, e := range sortedEntries(n) {
			if slices.Contains(perUseKeywords, e.key.Value) && !isEmptyKeyword(e) {
				own = appendValue(appendText(own, e.key.Value), e.value)
			}
		}
		p[n] = newSchemaDigests(k.lookup(ref.Value).digests.with(metadata), own)
		return
	}
	for _, e := range entriesOf(lookupKey(n, "properties")) {
		k.digestRefs(p, e.value, metadata)
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if below := lookupKey(n, name); below != nil {
			k.digestRefs(p, below, metadata)
		}
	}
}

// schemaNode returns a schema as the YAML node that a CRD would have. It returns nil if the schema
// cannot be encoded, which the schemas in package kubetypes can.
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
