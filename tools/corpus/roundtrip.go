package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"text/template"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kubejson "k8s.io/apimachinery/pkg/util/json"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/tools/arbitrary"
)

// objectsOfEach is how many objects of each CRD go through their Go types.
const objectsOfEach = 20

//go:embed roundtrip.go.tmpl
var roundTripSource string

var roundTripTemplate = template.Must(template.New("roundtrip").Parse(roundTripSource))

// goKind is a generated Go type that objects go through.
type goKind struct{ Key, ImportPath, Name string }

// roundTrip is the running program that has the generated Go types.
type roundTrip struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// newRoundTrip writes, builds and starts the program.
func (m *module) newRoundTrip(ctx context.Context, kinds []goKind) (*roundTrip, error) {
	dir := filepath.Join(m.dir, "roundtrip")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	var source bytes.Buffer
	if err := roundTripTemplate.Execute(&source, kinds); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), source.Bytes(), 0o644); err != nil {
		return nil, err
	}
	program := filepath.Join(m.dir, "roundtrip.bin")
	if out, err := m.goCommand(ctx, "build", "-ldflags=-s -w", "-o", program, "./roundtrip").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build: %w\n%s", err, out)
	}
	r := &roundTrip{cmd: exec.CommandContext(ctx, program)}
	r.cmd.Stderr = os.Stderr
	var err error
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	r.out = json.NewDecoder(out)
	r.out.UseNumber()
	return r, r.cmd.Start()
}

// stop ends the program.
func (r *roundTrip) stop() error {
	if err := r.in.Close(); err != nil {
		return err
	}
	return r.cmd.Wait()
}

// sendObject returns what is left of an object.
func (r *roundTrip) sendObject(key string, object []byte) (map[string]any, error) {
	request := fmt.Appendf(nil, `{"Key":%q,"Object":%s}`+"\n", key, object)
	if _, err := r.in.Write(request); err != nil {
		return nil, err
	}
	var answer struct {
		Object map[string]any
		Error  string
	}
	if err := r.out.Decode(&answer); err != nil {
		return nil, fmt.Errorf("the program with the Go types ended: %w", err)
	}
	if answer.Error != "" {
		return nil, fmt.Errorf("does not fit its Go type: %s", answer.Error)
	}
	return answer.Object, nil
}

// subject is a CRD with its Go packages, one for each version.
type subject struct {
	api      *spec.API
	crd      *apiextv1.CustomResourceDefinition
	packages []gomodel.Package
}

func (s *subject) goKinds(name string) []goKind {
	var kinds []goKind
	for _, pkg := range s.packages {
		kinds = append(kinds, goKind{Key: name + "/" + pkg.Version, ImportPath: pkg.ImportPath, Name: pkg.Kinds[0].Name})
	}
	return kinds
}

// sendObjects sends the random objects of a CRD through its Go types and counts those that come
// back whole. It returns why there are too few of them, and the first thing that was wrong with
// one.
func (r *roundTrip) sendObjects(name string, s *subject) (whole int, unfound, problem error) {
	for i, pkg := range s.packages {
		trip, err := newTrip(s, pkg)
		if err != nil {
			return whole, unfound, err
		}
		var missing error
		sent, wanted := 0, shareOf(objectsOfEach, len(s.packages), i)
		for tries := 0; sent < wanted && tries < 2*wanted; tries++ {
			object, err := trip.maker.Object()
			if err != nil {
				missing = fmt.Errorf("%s: %d of %d valid objects found: %w", pkg.Version, sent, wanted, err)
				continue
			}
			sent++
			if err := trip.sendObject(r, name, object); err == nil {
				whole++
			} else if problem == nil {
				problem = fmt.Errorf("%s: %w", pkg.Version, err)
			}
		}
		if sent < wanted && unfound == nil {
			unfound = missing
		}
	}
	return whole, unfound, problem
}

// decodeObject reads JSON with its numbers as they are.
func decodeObject(text []byte) (map[string]any, error) {
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return object, decoder.Decode(&object)
}

// shareOf returns how many of all objects the i-th of so many versions gets.
func shareOf(all, versions, i int) int {
	if i < all%versions {
		return all/versions + 1
	}
	return all / versions
}

// trip is the way of the objects of one version.
type trip struct {
	maker     *arbitrary.Maker
	model     model
	validator *crdgen.ObjectValidator
}

func newTrip(s *subject, pkg gomodel.Package) (*trip, error) {
	maker, err := arbitrary.New(s.crd, pkg.Version, "")
	if err != nil {
		return nil, err
	}
	return &trip{maker: maker, model: newModel(pkg), validator: maker.Validator()}, nil
}

// sendObject sends an object and compares what comes back.
func (t *trip) sendObject(r *roundTrip, name string, object map[string]any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	out, err := r.sendObject(name+"/"+t.model.pkg.Version, text)
	if err != nil {
		return err
	}
	in, err := decodeObject(text)
	if err != nil {
		return err
	}
	c := comparison{model: t.model}
	if found := c.compareValues(t.model.rootType(), in, out, ""); found != "" {
		return fmt.Errorf("%s", found)
	}
	if c.added {
		return t.stillValid(out)
	}
	return nil
}

// stillValid checks that the zero values that were added are allowed.
func (t *trip) stillValid(out map[string]any) error {
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	var object map[string]any
	if err := kubejson.Unmarshal(text, &object); err != nil { // with the number types of the API server
		return err
	}
	if found := t.validator.Validate(object); len(found) > 0 {
		return fmt.Errorf("invalid with the zero values that were added: %s", found[0])
	}
	return nil
}
