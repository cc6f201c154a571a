package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
)

// sampleFindings validates every object of the project's own kinds in deploy/samples as the API server would.
func (p *project) sampleFindings(apis []*spec.API) ([]finding, error) {
	crds, err := p.crds(apis)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(p.dir, "deploy", "samples", "*.yaml"))
	if err != nil {
		return nil, err
	}
	var findings []finding
	for _, file := range files {
		name := "deploy/samples/" + filepath.Base(file)
		data, err := readSpec(name, file)
		if err != nil {
			return nil, err
		}
		if problem := spec.TooLarge(name, data); problem != nil {
			findings = append(findings, finding{name, problem.Message})
			continue
		}
		for _, message := range p.checkSample(crds, name, data) {
			findings = append(findings, finding{name, message})
		}
	}
	return findings, nil
}

// crds are the project's CRDs by the group and kind of their objects.
func (p *project) crds(apis []*spec.API) (map[schema.GroupKind]*apiextv1.CustomResourceDefinition, error) {
	crds := map[schema.GroupKind]*apiextv1.CustomResourceDefinition{}
	for _, api := range apis {
		crd, problems := crdgen.CRD(api, p.spec.MinKubernetes)
		if err := problems.Err(); err != nil {
			return nil, err
		}
		crds[schema.GroupKind{Group: api.Group, Kind: api.Names.Kind}] = crd
	}
	return crds, nil
}

// checkSample goes through the documents of a file; those of kinds that never were the project's are none of opgen's
// business.
func (p *project) checkSample(crds map[schema.GroupKind]*apiextv1.CustomResourceDefinition, file string, data []byte) []string {
	var messages []string
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return messages
		}
		if err != nil {
			return append(messages, err.Error())
		}
		var head metav1.TypeMeta
		if err := sigsyaml.Unmarshal(document, &head); err != nil {
			return append(messages, fmt.Sprintf("is no Kubernetes object: %v", err))
		}
		kind := head.GroupVersionKind()
		switch crd, ok := crds[kind.GroupKind()]; {
		case ok:
			messages = append(messages, crdgen.ValidateObject(crd, document)...)
		case p.isGone(kind, file):
			messages = append(messages, p.goneMessage(kind))
		}
	}
}

// isGone reports whether an object of a kind that the project does not have shows an API that it had: in a group of
// the project, or in a file that is named as opgen names the sample of that kind. A kind that spec files name is
// somebody else's.
func (p *project) isGone(kind schema.GroupVersionKind, file string) bool {
	if scaffold.Names(p.apis, p.controllers, kind.GroupKind()) {
		return false
	}
	own := slices.ContainsFunc(p.apis, func(api *spec.API) bool { return api.Group == kind.Group })
	return own || file == scaffold.SamplePath(p.spec, kind)
}

// goneMessage says what to do about the sample of an API that the project no longer has.
func (p *project) goneMessage(kind schema.GroupVersionKind) string {
	message := fmt.Sprintf("shows %s of %s, which the project no longer has: remove the file", kind.Kind, kind.Group)
	for _, api := range p.apis {
		if api.Names.Kind == kind.Kind {
			return message + ", or write apiVersion: " + api.Group + "/" + scaffold.StorageVersion(api)
		}
	}
	return message
}
