package explore

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/rest"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/instance"
)

// shape is a part of a kind's OpenAPI v3 schema, as the API server publishes it. It is empty if the
// schema has no such part.
type shape struct {
	node       map[string]any
	components map[string]any
}

// newShape returns the shape of a schema node, with its references resolved.
func newShape(node any, components map[string]any) shape {
	own, _ := node.(map[string]any)
	if reference, ok := own["$ref"].(string); ok {
		return newShape(components[reference[strings.LastIndex(reference, "/")+1:]], components)
	}
	all, _ := own["allOf"].([]any)
	if len(all) != 1 {
		return shape{own, components}
	}
	merged := maps.Clone(newShape(all[0], components).node)
	if merged == nil {
		merged = map[string]any{}
	}
	maps.Copy(merged, own)
	return shape{merged, components}
}

// field returns the shape of a field of an object, or of a value of a map.
func (s shape) field(name string) shape {
	properties, _ := s.node["properties"].(map[string]any)
	if node, ok := properties[name]; ok {
		return newShape(node, s.components)
	}
	return newShape(s.node["additionalProperties"], s.components)
}

// items returns the shape of the items of a list.
func (s shape) items() shape { return newShape(s.node["items"], s.components) }

// isMap reports whether an object accepts any key.
func (s shape) isMap() bool {
	_, properties := s.node["properties"]
	_, additional := s.node["additionalProperties"]
	return additional && !properties || s.node["x-kubernetes-preserve-unknown-fields"] == true
}

// isAtomic reports whether a list or an object is atomic.
func (s shape) isAtomic(value any) bool {
	if _, ok := value.([]any); ok {
		kind, _ := s.node["x-kubernetes-list-type"].(string)
		return kind != "map" && kind != "set"
	}
	return s.node["x-kubernetes-map-type"] == "atomic"
}

// keys returns the fields that identify the items of a list.
func (s shape) keys() (keys []string) {
	named, _ := s.node["x-kubernetes-list-map-keys"].([]any)
	for _, key := range named {
		keys = append(keys, key.(string))
	}
	return keys
}

// enum returns the only valid values, if there are such.
func (s shape) enum() []any {
	values, _ := s.node["enum"].([]any)
	return values
}

func (s shape) format() string {
	format, _ := s.node["format"].(string)
	return format
}

func (s shape) isIntOrString() bool {
	return s.format() == "int-or-string" || s.node["x-kubernetes-int-or-string"] == true
}

// stepTo returns the step from a list of this shape to one of its items.
func (s shape) stepTo(item any, index int) step {
	object, _ := item.(map[string]any)
	if keys := s.keys(); object != nil && len(keys) > 0 {
		found := step{keys: map[string]any{}, defaults: map[string]any{}}
		for _, key := range keys {
			if value, ok := s.items().field(key).node["default"]; ok {
				found.keys[key], found.defaults[key] = value, value
			}
			if value, ok := object[key]; ok {
				found.keys[key] = value
			}
		}
		return found
	}
	if s.node["x-kubernetes-list-type"] == "set" {
		return step{value: item}
	}
	return step{index: index}
}

// shapes finds the shapes of kinds.
type shapes struct {
	mu    sync.Mutex
	asked openapi.Client
	paths map[string]openapi.GroupVersion
	known map[schema.GroupVersion]map[string]any
}

// newShapes asks an API server which schemas it publishes.
func newShapes(server *rest.Config) (*shapes, error) {
	asked, err := discovery.NewDiscoveryClientForConfig(server)
	if err != nil {
		return nil, err
	}
	found := &shapes{asked: asked.OpenAPIV3()}
	return found, found.readPaths()
}

// readPaths reads which schemas are published.
func (s *shapes) readPaths() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = map[schema.GroupVersion]map[string]any{}
	if s.paths, err = s.asked.Paths(); err != nil {
		return fmt.Errorf("read the schemas of the API server: %w", err)
	}
	return nil
}

// publishing is how long the API server may take to publish the schema of a CRD that
// was just installed.
const publishing = 10 * time.Second

// shapeOf returns the shape of a kind; empty for one without a schema.
func (s *shapes) shapeOf(kind schema.GroupVersionKind) (shape, error) {
	for deadline := time.Now().Add(publishing); ; time.Sleep(instance.Interval) {
		found, err := s.readShape(kind)
		if err != nil || found.node != nil || time.Now().After(deadline) {
			return found, err
		}
		if err := s.readPaths(); err != nil {
			return shape{}, err
		}
	}
}

// readShape returns the shape of a kind. It is empty if no schema of the kind is published yet.
func (s *shapes) readShape(kind schema.GroupVersionKind) (shape, error) {
	components, err := s.readComponents(kind.GroupVersion())
	if err != nil {
		return shape{}, err
	}
	for _, node := range components {
		content, _ := node.(map[string]any)
		kinds, _ := content["x-kubernetes-group-version-kind"].([]any)
		for _, named := range kinds {
			gvk, _ := named.(map[string]any)
			if gvk["group"] == kind.Group && gvk["version"] == kind.Version && gvk["kind"] == kind.Kind {
				return newShape(content, components), nil
			}
		}
	}
	return shape{}, nil
}

func (s *shapes) readComponents(version schema.GroupVersion) (map[string]any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.known[version]; ok {
		return known, nil
	}
	name := "apis/" + version.String()
	if version.Group == "" {
		name = "api/" + version.Version
	}
	path, ok := s.paths[name]
	if !ok {
		return nil, nil
	}
	data, err := path.Schema("application/json")
	if err != nil {
		return nil, fmt.Errorf("read the schemas of %s: %w", version, err)
	}
	var document struct {
		Components struct {
			Schemas map[string]any `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	s.known[version] = document.Components.Schemas
	return document.Components.Schemas, nil
}
