package main

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
)

// sendSamples sends the sample of each version through its Go type, and returns the first
// difference that an API server would see. A sample that its author has to complete is left out.
func (r *roundTrip) sendSamples(name string, s *subject) error {
	for _, pkg := range s.packages {
		text, err := crdgen.Sample(s.api, pkg.Version)
		if err != nil {
			return err
		}
		if len(crdgen.ValidateObject(s.crd, text)) > 0 {
			continue
		}
		object, err := yaml.YAMLToJSON(text)
		if err != nil {
			return err
		}
		out, err := r.sendObject(name+"/"+pkg.Version, object)
		if err != nil {
			return err
		}
		in, err := decodeObject(object)
		if err != nil {
			return err
		}
		if in, err = s.storedForm(in, pkg.Version); err != nil {
			return err
		}
		if out, err = s.storedForm(out, pkg.Version); err != nil {
			return err
		}
		if !isEqual(in, out) {
			return fmt.Errorf("%s: the sample differs at %s", pkg.Version, firstDifference(in, out, ""))
		}
	}
	return nil
}

// storedForm returns an object with its defaults filled in, as the API server does.
func (s *subject) storedForm(object map[string]any, version string) (map[string]any, error) {
	at := slices.IndexFunc(s.crd.Spec.Versions, func(v apiextv1.CustomResourceDefinitionVersion) bool { return v.Name == version })
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(s.crd.Spec.Versions[at].Schema.OpenAPIV3Schema, internal, nil); err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(internal)
	if err != nil {
		return nil, err
	}
	defaulting.Default(object, structural)
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return decodeObject(text) // the numbers of defaults like those of the object
}
