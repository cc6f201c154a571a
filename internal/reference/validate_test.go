package reference

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/spec"
)

const repository = "../.."

// TestSpecFilesOfTheRepositoryValidate holds every spec file of the repository that the parser
// accepts against both the schema of all spec files and that of its kind.
func TestSpecFilesOfTheRepositoryValidate(t *testing.T) {
	all, ofKind := compile(t, must(JSONSchema())), kindSchemas(t)
	validated := map[string]int{}
	for _, f := range specFiles(t) {
		if len(parse(f.Name, f.Data)) > 0 {
			continue // TestProblems
		}
		value := valueOf(f.Data)
		ofFile := value.(map[string]any)["kind"].(string)
		validated[ofFile]++
		if err := all.Validate(value); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if err := ofKind[ofFile].Validate(value); err != nil {
			t.Errorf("%s as %s: %v", f.Name, ofFile, err)
		}
	}
	if validated["API"] < 40 || validated["Project"] < 6 || validated["Controller"] < 4 {
		t.Errorf("found only %v", validated)
	}
}

func TestKindsAreRefusedByEachOthersSchema(t *testing.T) {
	schemas := kindSchemas(t)
	for _, f := range []txtar.File{
		{Name: "Project", Data: []byte("{apiVersion: opgen.dev/v1alpha1, kind: API, group: a.b, names: {kind: A}, versions: [{name: v1}]}")},
		{Name: "API", Data: []byte("{apiVersion: opgen.dev/v1alpha1, kind: Project, name: a, module: example.com/a}")},
		{Name: "Controller", Data: []byte("{apiVersion: opgen.dev/v1alpha1, kind: Project, name: a, module: example.com/a}")},
	} {
		if problems := parse("", f.Data); len(problems) > 0 {
			t.Fatal(problems)
		}
		if schemas[f.Name].Validate(valueOf(f.Data)) == nil {
			t.Errorf("the schema of %s accepts %s", f.Name, f.Data)
		}
	}
	if _, err := KindSchema("secret"); err == nil {
		t.Error("secret is a kind of spec file")
	}
}

func must(data []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return data
}

func compile(t *testing.T, data []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("opgen.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("opgen.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// kindSchemas are the schemas by kind.
func kindSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	schemas := map[string]*jsonschema.Schema{}
	for _, d := range spec.Describe().Documents {
		schemas[d.Name] = compile(t, must(KindSchema(strings.ToLower(d.Name))))
	}
	return schemas
}

var (
	specHeader  = regexp.MustCompile(`(?m)^kind: (Project|API|Controller|Types)$`)
	yamlExample = regexp.MustCompile("(?s)```yaml\n(.*?)```")
)

// specFiles are the spec files of the repository: those on disk, in archives and in the examples of
// the docs.
func specFiles(t *testing.T) []txtar.File {
	t.Helper()
	var found []txtar.File
	add := func(name string, data []byte) {
		if specHeader.Match(data) {
			found = append(found, txtar.File{Name: name, Data: data})
		}
	}
	err := filepath.WalkDir(repository, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		extension := filepath.Ext(path)
		if extension != ".yaml" && extension != ".txtar" && extension != ".md" {
			return nil
		}
		data, err := os.ReadFile(path)
		switch extension {
		case ".yaml":
			add(path, data)
		case ".txtar":
			for _, f := range txtar.Parse(data).Files {
				if filepath.Ext(f.Name) == ".yaml" {
					add(path+": "+f.Name, f.Data)
				}
			}
		case ".md":
			for _, example := range yamlExample.FindAllSubmatch(data, -1) {
				add(path, example[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// parse parses a file as what it says it is.
func parse(name string, data []byte) spec.Problems {
	if bytes.Contains(data, []byte("kind: Project")) {
		_, problems := spec.ParseProject(name, data)
		return problems
	}
	if spec.IsTypes(data) {
		_, problems := spec.ParseTypes(name, data)
		return problems
	}
	if spec.IsController(data) {
		_, problems := spec.ParseController(name, data)
		return problems
	}
	_, problems := spec.ParseAPI(name, data)
	return problems
}

// valueOf is a document as an editor sees it.
func valueOf(data []byte) any {
	var document yaml.Node
	if yaml.Unmarshal(data, &document) != nil || len(document.Content) == 0 {
		return nil
	}
	return nodeValue(document.Content[0])
}

func nodeValue(n *yaml.Node) any {
	switch n.Kind {
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			object[n.Content[i].Value] = nodeValue(n.Content[i+1])
		}
		return object
	case yaml.SequenceNode:
		items := []any{}
		for _, item := range n.Content {
			items = append(items, nodeValue(item))
		}
		return items
	case yaml.AliasNode:
		return nodeValue(n.Alias)
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		var number any
		if err := n.Decode(&number); err != nil {
			return n.Value
		}
		if f, ok := number.(float64); ok && (math.IsInf(f, 0) || math.IsNaN(f)) {
			return 0 // JSON has no such number; to an editor it is one
		}
		return number
	}
	return n.Value
}

// nodeAt returns the node that an instance location leads to.
func nodeAt(n *yaml.Node, location []string) *yaml.Node {
	for _, step := range location {
		next := (*yaml.Node)(nil)
		if i, err := strconv.Atoi(step); n.Kind == yaml.SequenceNode && err == nil {
			next = n.Content[i]
		}
		for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				next = n.Content[i+1]
			}
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}

// leaves are the errors that have no causes of their own elsewhere.
func leaves(err error) []*jsonschema.ValidationError {
	var validation *jsonschema.ValidationError
	if !errors.As(err, &validation) {
		return nil
	}
	switch validation.ErrorKind.(type) {
	case *kind.PropertyNames, *kind.Contains: // whose causes are of single names and items
		return []*jsonschema.ValidationError{validation}
	}
	if len(validation.Causes) == 0 {
		return []*jsonschema.ValidationError{validation}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range validation.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}
