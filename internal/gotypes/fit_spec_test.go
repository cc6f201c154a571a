package gotypes_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/templates"
)

// TestSpecsFitTheirTypes is TestSchemasFitTypes for schemas of spec files and the Go types that opgen
// generates of them.
func TestSpecsFitTheirTypes(t *testing.T) {
	checkSpecFit(t, 12, 40, 1)
}

// TestManySpecsFitTheirTypes is TestSpecsFitTheirTypes with more schemas and values.
func TestManySpecsFitTheirTypes(t *testing.T) {
	longtest.Skip(t, "the Go types of 600 packages are compiled")
	for seed := range 4 {
		checkSpecFit(t, 150, 150, seed+2)
	}
}

func checkSpecFit(t *testing.T, specs, values, seed int) {
	t.Helper()
	read := readCases{apis: map[string]*spec.API{}}
	var cases []typesCase
	for i := range specs {
		name := versionName(len(cases))
		text := strings.ReplaceAll(rapid.Custom(randomSpec).Example(seed*1000+i), "VERSION", name)
		api, problems := spec.ParseAPI("api/thing.yaml", []byte(text))
		if len(problems) > 0 {
			t.Fatalf("%s\n%s", problems.Error(), text)
		}
		packages, problems := gomodel.Packages(&spec.Project{Module: "example.com/m"}, []*spec.API{api})
		if len(problems) > 0 {
			t.Fatalf("%s\n%s", problems.Error(), text)
		}
		source, err := templates.Types(packages[0])
		if err != nil {
			t.Fatal(err)
		}
		_, code, found := strings.Cut(string(source), "\npackage "+name+"\n")
		if !found {
			t.Fatalf("no package %s in\n%s", name, source)
		}
		read.apis[name] = api
		cases = append(cases, typesCase{name, code + "\n/*\n" + text + "*/\n"})
	}
	newFit(t, cases, read).checkValues(rand.New(rand.NewPCG(uint64(seed), 1)), values)
}

// specWords are types of the shorthand. meta/v1.Time, resource.Quantity and intstr.IntOrString are not
// among them: they have the schemas that they have in every CRD, which accept more than Go reads.
var specWords = []string{
	"string", "bool", "int32", "int64", "integer", "float", "double", "number", "time", "duration", "quantity", "intOrString", "object", "any",
	"meta/v1.Duration", "meta/v1.MicroTime", "core/v1.LocalObjectReference", "string | format=byte", "string | enum=[A, b]", "int32 | minimum=-300 maximum=7",
	"string | maxLength=9", "integer | minimum=-300 maximum=100000",
}

// randomSpec draws a spec file with the version VERSION.
func randomSpec(t *rapid.T) string {
	var text strings.Builder
	text.WriteString("apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\nnames: {kind: Thing}\nversions:\n- name: VERSION\n  spec:\n")
	writeProperties(t, &text, "    ", 0)
	return text.String()
}

func writeProperties(t *rapid.T, text *strings.Builder, indent string, depth int) {
	text.WriteString(indent + "properties:\n")
	for i := range rapid.IntRange(1, 5).Draw(t, "fields") {
		fmt.Fprintf(text, "%s  f%d:", indent, i)
		writeSchema(t, text, indent+"    ", depth, false)
	}
}

// writeSchema writes a schema behind the name of its field, or that of an element of a list or a map.
func writeSchema(t *rapid.T, text *strings.Builder, indent string, depth int, element bool) {
	form := rapid.IntRange(0, 9).Draw(t, "form")
	if depth > 2 {
		form %= 6
	}
	word := rapid.SampledFrom(specWords).Draw(t, "word")
	plain, _, _ := strings.Cut(word, " |")
	switch form {
	case 0, 1, 2:
		fmt.Fprintf(text, " %q\n", word)
	case 3:
		markers := rapid.SampledFrom([]string{"required", "nullable"}).Draw(t, "markers")
		if element { // only a field can be required
			markers = "nullable"
		}
		if plain == word && plain != "any" {
			plain += " | " + markers
		}
		fmt.Fprintf(text, " %q\n", plain)
	case 4:
		fmt.Fprintf(text, " %q\n", "[]"+plain)
	case 5:
		fmt.Fprintf(text, " %q\n", "map[string]"+plain)
	case 6, 7:
		text.WriteString("\n")
		writeProperties(t, text, indent, depth+1)
	case 8:
		text.WriteString("\n" + indent + "type: array\n" + indent + "items:")
		writeSchema(t, text, indent+"  ", depth+1, true)
	case 9:
		text.WriteString("\n" + indent + "type: object\n" + indent + "additionalProperties:")
		writeSchema(t, text, indent+"  ", depth+1, true)
	}
}
