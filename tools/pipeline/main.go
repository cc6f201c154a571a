// Command pipeline takes files of CustomResourceDefinitions through one stage in one process, for
// make bench to time:
//
//	pipeline parse FILE...      YAML to nodes, with the library that import uses (go.yaml.in/yaml/v3), and nothing else
//	pipeline unmarshal FILE...  YAML to the Go type of CRDs, with the library that the field uses (sigs.k8s.io/yaml)
//	pipeline crd FILE...        import, and the CRD made again and checked
//	pipeline write FILE...      the same, and the CRD written as YAML
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"go.yaml.in/yaml/v3"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/importer"
	"github.com/opgen-dev/opgen/internal/spec"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // as opgen does, whatever the stage
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pipeline:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: pipeline parse|unmarshal|crd|write FILE")
	}
	stage, found := map[string]func(file string, data []byte) error{"parse": parseYAML, "unmarshal": unmarshalYAML, "crd": makeCRD, "write": writeCRD}[args[0]]
	if !found {
		return fmt.Errorf("there is no stage %q", args[0])
	}
	for _, file := range args[1:] {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := stage(file, data); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func parseYAML(_ string, data []byte) error {
	decode := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var n yaml.Node
		if err := decode.Decode(&n); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func unmarshalYAML(_ string, data []byte) error {
	for _, document := range bytes.Split(data, []byte("\n---\n")) {
		var crd apiextv1.CustomResourceDefinition
		if err := sigsyaml.Unmarshal(document, &crd); err != nil {
			return err
		}
	}
	return nil
}

func makeCRD(file string, data []byte) error {
	_, err := importAndMake(file, data)
	return err
}

func writeCRD(file string, data []byte) error {
	crds, err := importAndMake(file, data)
	if err != nil {
		return err
	}
	for _, m := range crds {
		if _, err := crdgen.MarshalCRDOf(m.api, m.crd); err != nil {
			return err
		}
	}
	return nil
}

// madeCRD is a CRD that was made again, and what from.
type madeCRD struct {
	api *spec.API
	crd *apiextv1.CustomResourceDefinition
}

// importAndMake imports the CRDs of a file and makes them again.
func importAndMake(file string, data []byte) ([]madeCRD, error) {
	specs, problems := importer.Import(file, data)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	var crds []madeCRD
	for _, s := range specs {
		crd, problems := crdgen.CRD(s.API, spec.DefaultMinKubernetes)
		if err := problems.Err(); err != nil {
			return nil, err
		}
		crds = append(crds, madeCRD{s.API, crd})
	}
	return crds, nil
}
