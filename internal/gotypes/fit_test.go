package gotypes_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/spec"
)

// TestSchemasFitTypes draws Go types, and holds the schema that opgen makes of them against what Go
// reads and writes: each value that the API server's code accepts decodes into the type and comes back
// equal, and each value that Go writes is accepted. opgen must refuse the types of which that is not
// true.
func TestSchemasFitTypes(t *testing.T) {
	checkFit(t, 16, 40, 1)
}

// TestSchemasFitManyTypes is TestSchemasFitTypes with more types and values.
func TestSchemasFitManyTypes(t *testing.T) {
	longtest.Skip(t, "the Go types of 1,200 packages are compiled")
	for seed := range 8 {
		checkFit(t, 150, 150, seed+2)
	}
}

func checkFit(t *testing.T, types, values, seed int) {
	t.Helper()
	var drawn []typesCase
	for i := range types {
		drawn = append(drawn, typesCase{fmt.Sprintf("v%d", i+1), withTags(rapid.Custom(randomTypes).Example(seed*1000 + i))})
	}
	read := readAll(t, drawn)
	var fitting []typesCase
	for _, c := range drawn {
		if len(read.problems[c.name]) == 0 {
			fitting = append(fitting, typesCase{fmt.Sprintf("v%d", len(fitting)+1), c.source})
		} else {
			t.Logf("refused: %s", read.problems[c.name].Error())
		}
	}
	if len(fitting) < types/4 {
		t.Fatalf("%d of %d types are refused", types-len(fitting), types)
	}
	if len(fitting) < len(drawn) {
		read = readAll(t, fitting)
	}
	f := newFit(t, fitting, read)
	f.checkValues(rand.New(rand.NewPCG(uint64(seed), 0)), values)
}

// fit is Go types with what reads and checks their values: the API server's code, and a program with the types.
type fit struct {
	t         *testing.T
	cases     []typesCase
	validator map[string]*crdgen.ObjectValidator
	crds      map[string]*apiextv1.JSONSchemaProps
	program   string
}

func newFit(t *testing.T, cases []typesCase, read readCases) *fit {
	t.Helper()
	f := &fit{t: t, cases: cases, validator: map[string]*crdgen.ObjectValidator{}, crds: map[string]*apiextv1.JSONSchemaProps{}}
	for _, c := range cases {
		crd, problems := crdgen.CRD(read.apis[c.name], spec.DefaultMinKubernetes)
		if len(problems) > 0 {
			t.Fatalf("%s\n%s", problems.Error(), c.source)
		}
		root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
		validator, err := crdgen.NewObjectValidator(root)
		if err != nil {
			t.Fatal(err)
		}
		f.validator[c.name], f.crds[c.name] = validator, root
	}
	f.program = buildProgram(t, cases)
	return f
}

// buildProgram compiles the program of testdata/readwrite.go.txt with the types of cases.
func buildProgram(t *testing.T, cases []typesCase) string {
	t.Helper()
	imports, specs := "", ""
	a := &txtar.Archive{Files: []txtar.File{{Name: "readwrite/main.go", Data: read(t, "testdata/readwrite.go.txt")}}}
	for _, c := range cases {
		imports += fmt.Sprintf("\t%s \"example.com/m/api/%[1]s\"\n", c.name)
		specs += fmt.Sprintf("\t\"%[1]s\": reflect.TypeFor[%[1]s.ThingSpec](),\n", c.name)
		a.Files = append(a.Files, txtar.File{Name: "api/" + c.name + "/spec.go", Data: []byte("package " + c.name + "\n\n" + c.source)})
	}
	a.Files = append(a.Files, txtar.File{Name: "readwrite/specs.go", Data: []byte("package main\n\nimport (\n\t\"reflect\"\n\n" + imports + ")\n\nvar specs = map[string]reflect.Type{\n" + specs + "}\n")})
	dir := module(t, a)
	program := filepath.Join(dir, "readwrite.exe")
	build := exec.Command("go", "build", "-o", program, "./readwrite")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// exchange is a line between the test and the program: a value to read, or the number of a value to
// write behind the name of the case.
type exchange struct {
	Case  string          `json:"case"`
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

// run has the program read or write all values.
func (f *fit) run(all []exchange) []exchange {
	f.t.Helper()
	var in bytes.Buffer
	for _, e := range all {
		if err := json.NewEncoder(&in).Encode(e); err != nil {
			f.t.Fatal(err)
		}
	}
	command := exec.Command(f.program)
	command.Stdin, command.Stderr = &in, os.Stderr
	out, err := command.Output()
	if err != nil {
		f.t.Fatal(err)
	}
	var answers []exchange
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var answer exchange
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil {
			f.t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	return answers
}

// accepted returns the errors of the API server for a spec of a case.
func (f *fit) accepted(name string, value []byte) []string {
	var content any
	if err := kjson.Unmarshal(value, &content); err != nil {
		return []string{err.Error()}
	}
	return f.validator[name].Validate(map[string]any{
		"apiVersion": "demo.example.com/" + name, "kind": "Thing", "metadata": map[string]any{"name": "a"}, "spec": content,
	})
}

// checkValues draws values of each case's schema, and has the program write others.
func (f *fit) checkValues(r *rand.Rand, values int) {
	f.t.Helper()
	var ask []exchange
	sources := map[string]string{}
	for _, c := range f.cases {
		sources[c.name] = c.source
		schema := f.crds[c.name].Properties["spec"]
		for range values {
			value, err := json.Marshal(drawValue(r, &schema, 0))
			if err != nil {
				f.t.Fatal(err)
			}
			if len(f.accepted(c.name, value)) == 0 {
				ask = append(ask, exchange{Case: c.name, Value: value})
			}
		}
		for round := range 4 {
			ask = append(ask, exchange{Case: fmt.Sprintf("%s/%d", c.name, round)})
		}
	}
	read, wrong := 0, map[string]bool{}
	for i, answer := range f.run(ask) {
		name, _, written := strings.Cut(answer.Case, "/")
		problem := ""
		switch {
		case answer.Error != "":
			problem = "Go does not read what the schema accepts: " + answer.Error
		case written:
			if errs := withoutAuthors(f.accepted(name, answer.Value)); len(errs) > 0 {
				problem = "the schema does not accept what Go writes: " + strings.Join(errs, "; ")
			}
		default:
			read++
			problem = difference(ask[i].Value, answer.Value)
		}
		if problem != "" && !wrong[name] {
			wrong[name] = true
			f.t.Errorf("%s\nvalue %s\ncomes back as %s\nin %s", problem, ask[i].Value, answer.Value, sources[name])
		}
	}
	f.t.Logf("%d types, %d values read, %d written", len(f.cases), read, 4*len(f.cases))
	if read < 3*len(f.cases) {
		f.t.Errorf("only %d of %d values are accepted", read, values*len(f.cases))
	}
}

// withoutAuthors leaves out the errors about limits that the markers of the type set, which Go cannot
// know.
func withoutAuthors(errs []string) (others []string) {
	for _, err := range errs {
		author := strings.Contains(err, "100000") || strings.Contains(err, "-300") || strings.Contains(err, "equal to 7") ||
			strings.Contains(err, "at most 3 items") || strings.Contains(err, "Unsupported value") || strings.Contains(err, "supported values")
		if !author {
			others = append(others, err)
		}
	}
	return others
}
