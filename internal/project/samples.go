package project

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

// checkSamples validates the objects in deploy/samples as the API server would.
func (p *Project) checkSamples(apis []*spec.API) ([]Finding, error) {
	crds, err := crdsByKind(apis, p.Spec.MinKubernetes)
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(p.Dir, "deploy", "samples", "*.yaml"))
	if err != nil {
		return nil, err
	}
	var findings []Finding
	for _, file := range files {
		name := "deploy/samples/" + filepath.Base(file)
		sample, err := ReadFile(name, file)
		if err != nil {
			return nil, err
		}
		if problem := spec.TooLarge(name, sample.Data); problem != nil {
			findings = append(findings, Finding{name, problem.Message})
			continue
		}
		for _, message := range p.checkSample(crds, sample) {
			findings = append(findings, Finding{name, message})
		}
	}
	return findings, nil
}

// crdsByKind returns the CRDs of APIs by the group and kind of their objects.
func crdsByKind(apis []*spec.API, minKubernetes string) (map[schema.GroupKind]*apiextv1.CustomResourceDefinition, error) {
	crds := map[schema.GroupKind]*apiextv1.CustomResourceDefinition{}
	for _, api := range apis {
		crd, problems := crdgen.CRD(api, minKubernetes)
		if err := problems.Err(); err != nil {
			return nil, err
		}
		crds[schema.GroupKind{Group: api.Group, Kind: api.Names.Kind}] = crd
	}
	return crds, nil
}

// checkSample returns what is wrong with the objects in a file. It ignores objects of kinds that
// were never part of the project.
func (p *Project) checkSample(crds map[schema.GroupKind]*apiextv1.CustomResourceDefinition, sample SpecFile) []string {
	var messages []string
	reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(sample.Data)))
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
		case p.isRemoved(kind, sample.Name):
			messages = append(messages, p.removedMessage(kind))
		}
	}
}

// isRemoved reports whether the project has had a kind that it does not have any more. It has if
// the kind is in a group of the project, or if the file has the name of a sample that opgen makes.
// A kind that spec files name belongs to somebody else.
func (p *Project) isRemoved(kind schema.GroupVersionKind, file string) bool {
	if scaffold.Names(scaffold.Summaries(p.APIs), p.Controllers, kind.GroupKind()) {
		return false
	}
	own := slices.ContainsFunc(p.APIs, func(api scaffold.API) bool { return api.Group == kind.Group })
	return own || file == scaffold.SamplePath(p.Spec, kind)
}

// removedMessage returns what to do about the sample of a removed API.
func (p *Project) removedMessage(kind schema.GroupVersionKind) string {
	message := fmt.Sprintf("shows %s of %s, which the project no longer has: remove the file", kind.Kind, kind.Group)
	for _, api := range p.APIs {
		if api.Names.Kind == kind.Kind {
			return message + ", or write apiVersion: " + api.Group + "/" + api.StorageVersion().Name
		}
	}
	return message
}
