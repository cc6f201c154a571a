package schemas

import (
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/rest"
)

// Schemas finds the schemas that an API server publishes.
type Schemas struct {
	client openapi.Client

	mu    sync.Mutex
	paths map[string]openapi.GroupVersion
	known map[schema.GroupVersion]*Document
}

// New returns the schemas of an API server. It makes no request.
func New(server *rest.Config) (*Schemas, error) {
	client, err := discovery.NewDiscoveryClientForConfig(server)
	if err != nil {
		return nil, err
	}
	return &Schemas{client: client.OpenAPIV3()}, nil
}

// publishing is how long the API server may take to publish the schema of a CRD that
// was just installed.
const publishing = 10 * time.Second

// Kind returns a kind. One whose schema is not published within ten seconds has none: its lists are
// atomic.
func (s *Schemas) Kind(kind schema.GroupVersionKind) (*Kind, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for deadline := time.Now().Add(publishing); ; time.Sleep(20 * time.Millisecond) {
		found, err := s.findKind(kind)
		if err != nil || found.Exists() || time.Now().After(deadline) {
			return found, err
		}
		s.paths = nil
	}
}

// findKind returns a kind, without a schema if none is published yet.
func (s *Schemas) findKind(kind schema.GroupVersionKind) (*Kind, error) {
	if s.paths == nil {
		paths, err := s.client.Paths()
		if err != nil {
			return nil, fmt.Errorf("read the schemas of the API server: %w", err)
		}
		s.paths, s.known = paths, map[schema.GroupVersion]*Document{}
	}
	found, ok := s.known[kind.GroupVersion()]
	if !ok {
		var err error
		if found, err = s.readDocument(kind.GroupVersion()); err != nil {
			return nil, fmt.Errorf("read the schemas of %s: %w", kind.GroupVersion(), err)
		}
		s.known[kind.GroupVersion()] = found
	}
	return found.Kind(kind), nil
}

// documents are those that this process has read, by the address of each, which has a hash of its
// content. Tests of one process share them, because it takes long to read one.
var documents sync.Map

func (s *Schemas) readDocument(version schema.GroupVersion) (*Document, error) {
	name := "apis/" + version.String()
	if version.Group == "" {
		name = "api/" + version.Version
	}
	path, ok := s.paths[name]
	if !ok {
		return new(Document), nil
	}
	if known, ok := documents.Load(path.ServerRelativeURL()); ok {
		return known.(*Document), nil
	}
	data, err := path.Schema("application/json")
	if err != nil {
		return nil, err
	}
	read, err := Parse(data)
	if err == nil {
		documents.Store(path.ServerRelativeURL(), read)
	}
	return read, err
}
