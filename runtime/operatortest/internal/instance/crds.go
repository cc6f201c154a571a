package instance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// installed is a CRD that a test of this process has installed. The other tests find it there.
type installed struct {
	mu         sync.Mutex // held while it is installed
	content    string     // as it was installed; empty: it was not
	isOwner    bool       // objects of users with limited permissions may refer to one of its kind
	installing atomic.Bool
}

// crd returns what is known of a CRD.
func (s *server) crd(name string) *installed {
	s.mu.Lock()
	defer s.mu.Unlock()
	known, ok := s.installed[name]
	if !ok {
		known = new(installed)
		s.installed[name] = known
	}
	return known
}

// forgetCRD forgets a CRD that a test itself has written.
func (s *server) forgetCRD(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.installed[name]; ok && !known.installing.Load() {
		delete(s.installed, name)
	}
}

// installCRDs installs CRDs from files and directories and waits until their
// kinds are served.
func (o *Operator) installCRDs(paths []string) {
	o.T.Helper()
	for _, path := range paths {
		crds, err := readCRDs(path)
		if err != nil {
			o.T.Fatal(err)
		}
		for _, crd := range crds {
			o.installCRD(crd)
		}
	}
}

// crdManager is the field manager of kubectl apply --server-side. The CRDs stay
// when the test has ended, and make install, which uses kubectl, may change them
// without a conflict.
const crdManager = "kubectl"

func (o *Operator) installCRD(crd unknown) {
	o.T.Helper()
	known := o.server.crd(crd.Metadata.Name)
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.content == string(crd.raw) {
		return
	}
	known.installing.Store(true)
	defer known.installing.Store(false)
	object := &apiextensionsv1.CustomResourceDefinition{}
	object.Name = crd.Metadata.Name
	if crd.standsIn() && o.hasReal(object.Name) {
		return
	}
	patch := client.RawPatch(types.ApplyPatchType, crd.raw)
	if err := o.Client.Patch(o.T.Context(), object, patch, client.FieldOwner(crdManager), client.ForceOwnership); err != nil {
		o.T.Fatalf("install CRD %s: %v", crd.Metadata.Name, err)
	}
	o.Eventually("CRD "+object.Name+" is established", func() error {
		if err := o.Client.Get(o.T.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		if !slices.ContainsFunc(object.Status.Conditions, func(condition apiextensionsv1.CustomResourceDefinitionCondition) bool {
			return condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue
		}) {
			return errors.New("it is not")
		}
		return o.isServed(object)
	})
	known.content, known.isOwner = string(crd.raw), false
}

// standInAnnotation marks a CRD that stands in for the real one of a kind that somebody else
// defines. It is installed only where there is none.
const standInAnnotation = "opgen.dev/stand-in"

func (u unknown) standsIn() bool { return u.Metadata.Annotations[standInAnnotation] == "true" }

// hasReal reports whether the API server has a CRD that does not stand in for another.
func (o *Operator) hasReal(name string) bool {
	o.T.Helper()
	crd := &apiextensionsv1.CustomResourceDefinition{}
	err := o.Client.Get(o.T.Context(), client.ObjectKey{Name: name}, crd)
	if err != nil && !apierrors.IsNotFound(err) {
		o.T.Fatalf("install CRD %s: %v", name, err)
	}
	return err == nil && crd.Annotations[standInAnnotation] != "true"
}

// isServed returns an error unless the API server lists the kinds of an established CRD.
func (o *Operator) isServed(crd *apiextensionsv1.CustomResourceDefinition) error {
	kind := schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}
	for _, version := range crd.Spec.Versions {
		if !version.Served {
			continue
		}
		if _, err := o.Client.RESTMapper().RESTMapping(kind, version.Name); err != nil {
			return err
		}
	}
	return nil
}

// unknown is an object whose kind is yet to be seen.
type unknown struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name        string            `json:"name"`
		Namespace   string            `json:"namespace"`
		Annotations map[string]string `json:"annotations"`
	} `json:"metadata"`
	raw []byte
}

// ReadCRDs reads the CRDs in a file, or in all YAML files of a directory.
func ReadCRDs(path string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	found, err := readCRDs(path)
	if err != nil {
		return nil, err
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, one := range found {
		crd := new(apiextensionsv1.CustomResourceDefinition)
		if err := json.Unmarshal(one.raw, crd); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		crds = append(crds, crd)
	}
	return crds, nil
}

// readCRDs reads the CRDs in a file, or in all YAML files of a directory.
func readCRDs(path string) ([]unknown, error) { return readObjects(path, "CustomResourceDefinition") }

// readObjects reads the objects of some kinds in a file, or in all YAML files of a directory.
func readObjects(path string, kinds ...string) (objects []unknown, err error) {
	err = filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || file != path && !slices.Contains([]string{".yaml", ".yml"}, filepath.Ext(file)) {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		found, err := parseObjects(data)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, slices.DeleteFunc(found, func(object unknown) bool { return !slices.Contains(kinds, object.Kind) })...)
		return nil
	})
	if err == nil && len(objects) == 0 {
		err = fmt.Errorf("%s contains no %s", path, strings.Join(kinds, " and no "))
	}
	return objects, err
}

// parseObjects reads the objects of a YAML file.
func parseObjects(data []byte) (objects []unknown, err error) {
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		var raw json.RawMessage
		if err := documents.Decode(&raw); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		object := unknown{raw: raw}
		if err := json.Unmarshal(raw, &object); err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
}
