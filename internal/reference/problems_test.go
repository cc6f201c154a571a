package reference

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/spec"
)

// invisible are the problems that no JSON Schema can see, by their message, with the reason.
var invisible = []struct{ message, reason string }{
	{`is not YAML`, "YAML itself, which the editor reports"},
	{`^duplicate key`, "YAML itself, which the editor reports"},
	{`is empty|second document`, "there is nothing to validate, or something else"},
	{`^(anchors|aliases|tags|merge keys) .* are not accepted`, "editors resolve them before they validate"},
	{`nested more than 64 levels`, "a recursive schema has no depth"},
	{`starts a mapping$`, "a mapping is valid in that place"},
	{`YAML ends the value here`, "comments are gone before validation"},
	{`to many YAML readers$|expected a name as key|got the date`, "text to editors, which read YAML 1.2"},
	{`is not a JSON number|cannot be stored exactly|finite decimal number|9223372036854775808 is out of range`, "numbers have no digits once they are read"},
	{`is not a 32-bit integer`, "no regular expression compares numbers"},
	{`is not an integer$`, "no regular expression counts to 64 bits or knows the items of a default"},
	{`leads to no field|has no field|replicas are counted|the selector is text`, "it is a path through another part of the file"},
	{`^duplicate (child|parent|marker|version)|is listed twice`, "what is repeated is only a part of the value"},
	{`cannot be its own child|is also a kind of parents|is the kind itself|the name of the CRD|the group has|cannot have the name`, "another value of the file takes part"},
	{`^differs from the entry on line`, "another entry of the list takes part"},
	{`is not in the metadata|cannot be evicted`, "another key or entry takes part"},
	{`is the as of no |leads back to the entry itself`, "another entry of the list takes part"},
	{`^nothing says when a .* has finished`, "no condition is about kinds other than two"},
	{`its Go (name|field)|the Go package of the kind|cannot be the name of a Go package|gives the plural`, "the name is derived"},
	{`^2 versions have storage: true`, "draft-07 does not count above one"},
	{`^"[A-Z][A-Za-z0-9]*" is not a type$|would contain itself|does not apply to [A-Z]`, "it is the name of a type elsewhere in the file, or in another"},
	{`is not a value of an enum|is already the name for|^does not apply here$`, "another value of the file takes part"},
	{`(ms|s|m|h) is out of range`, "no regular expression compares durations"},
	{`is not a (label selector|selector of annotations)|selects everything`, "no regular expression reads kubectl's syntax"},
	{`cannot be handed over|begins as metrics of the runtime do`, "no regular expression excludes names"},
	{`lacks the key (group|names|versions)`, "the file is of no known kind, which the schema refuses"},
}

// TestProblems holds the bad input that the parser is tested with against the schema: what the
// parser reports, the schema refuses at the same place, but for what is invisible.
func TestProblems(t *testing.T) {
	archives, err := filepath.Glob("../spec/testdata/problems/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	all := compile(t, must(JSONSchema()))
	used, refused := map[int]bool{}, 0
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files[:len(archive.Files)-1] {
			places := refusals(all, f.Data)
			for _, p := range parse(filepath.Base(path)+"/"+f.Name, f.Data) {
				if places.have(p.Pos) {
					refused++
					continue
				}
				if i := reasonFor(p); i >= 0 {
					used[i] = true
					continue
				}
				t.Errorf("the schema accepts: %v", p)
			}
		}
	}
	for i, r := range invisible {
		if !used[i] {
			t.Errorf("no problem is invisible because of: %s", r.message)
		}
	}
	if refused < 100 {
		t.Errorf("the schema refuses %d problems only", refused)
	}
}

// reasonFor is the index of the reason why a problem is invisible, -1 when there is none.
func reasonFor(p spec.Problem) int {
	for i, r := range invisible {
		if regexp.MustCompile(r.message).MatchString(p.Message) {
			return i
		}
	}
	return -1
}

// places are where a schema refuses a file: nodes by line and column, and texts by the line that
// they are on.
type places struct{ nodes, texts []spec.Pos }

// have reports whether a problem is at one of the places; in a text it may be at any column behind
// the beginning.
func (p places) have(pos spec.Pos) bool {
	for _, n := range p.nodes {
		if n.Line == pos.Line && n.Column == pos.Column {
			return true
		}
	}
	for _, n := range p.texts {
		if n.Line == pos.Line && n.Column <= pos.Column {
			return true
		}
	}
	return false
}

func refusals(s *jsonschema.Schema, data []byte) places {
	var document yaml.Node
	if yaml.Unmarshal(data, &document) != nil || len(document.Content) == 0 {
		return places{}
	}
	var found places
	root := document.Content[0]
	for _, e := range leaves(s.Validate(nodeValue(root))) {
		n := nodeAt(root, e.InstanceLocation)
		if k, ofName := e.ErrorKind.(*kind.PropertyNames); ofName { // the library does not tell the location right
			found.nodes = append(found.nodes, keysNamed(root, k.Property)...)
			continue
		}
		found.nodes = append(found.nodes, spec.Pos{Line: n.Line, Column: n.Column})
		switch k := e.ErrorKind.(type) {
		case *kind.Pattern:
			found.texts = append(found.texts, textPos(n))
		case *kind.AdditionalProperties:
			for _, name := range k.Properties {
				found.nodes = append(found.nodes, keyPos(n, name))
			}
		case *kind.Not:
			if last := len(e.InstanceLocation) - 1; last >= 0 {
				found.nodes = append(found.nodes, keyPos(nodeAt(root, e.InstanceLocation[:last]), e.InstanceLocation[last]))
			}
		}
	}
	return found
}

// textPos is where a text begins: that of a block on the line below its |.
func textPos(n *yaml.Node) spec.Pos {
	if n.Style == yaml.LiteralStyle {
		return spec.Pos{Line: n.Line + 1}
	}
	return spec.Pos{Line: n.Line, Column: n.Column}
}

func keyPos(mapping *yaml.Node, name string) spec.Pos {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return spec.Pos{Line: mapping.Content[i].Line, Column: mapping.Content[i].Column}
		}
	}
	return spec.Pos{}
}

// keysNamed are the places of the keys with a name in all mappings.
func keysNamed(n *yaml.Node, name string) []spec.Pos {
	var found []spec.Pos
	if n.Kind == yaml.MappingNode {
		if pos := keyPos(n, name); pos.Line > 0 {
			found = append(found, pos)
		}
	}
	for _, c := range n.Content {
		found = append(found, keysNamed(c, name)...)
	}
	return found
}

// uncaught are the files of bad input that the JSON Schema accepts as a whole, with the reason.
var uncaught = map[string]string{
	"colon.txtar/api/d.yaml":          "a mapping is valid in that place",
	"cut-by-comment.txtar/api/a.yaml": "comments are gone before validation",
	"duplicate-key.txtar/api/a.yaml":  "YAML itself, which the editor reports",
	"names.txtar/api/d.yaml":          "no schema adds the lengths of two values",
	"names.txtar/api/f.yaml":          "another value of the file takes part",
	"plural.txtar/api/c.yaml":         "the plural is derived",
	"types.txtar/api/b.yaml":          "it is the name of a type elsewhere in the file, or in another",
	"types.txtar/api/c.yaml":          "it is the name of a type elsewhere in the file, or in another",
	"versions.txtar/api/b.yaml":       "draft-07 does not count above one",
	"yaml-features.txtar/api/b.yaml":  "editors validate each document of a file",
	"yaml-features.txtar/api/c.yaml":  "a recursive schema has no depth",
}

// TestFilesAreCaught counts the files of bad input in which an editor reports an error.
func TestFilesAreCaught(t *testing.T) {
	archives, err := filepath.Glob("../spec/testdata/problems/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	all := compile(t, must(JSONSchema()))
	bad, caught := 0, 0
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files[:len(archive.Files)-1] {
			name := filepath.Base(path) + "/" + f.Name
			if len(parse(name, f.Data)) == 0 {
				continue // what is wrong concerns several files
			}
			bad++
			isCaught := all.Validate(valueOf(f.Data)) != nil
			if isCaught {
				caught++
			}
			if reason := uncaught[name]; isCaught == (reason != "") {
				t.Errorf("%s: caught: %v, reason why not: %q", name, isCaught, reason)
			}
		}
	}
	if t.Logf("%d of %d files", caught, bad); caught < 60 {
		t.Errorf("the schema catches %d of %d files only", caught, bad)
	}
}

// TestPatternsAreCommon checks that regular expressions use only what all validators have: no
// look-around, no classes of Unicode, no names of groups.
func TestPatternsAreCommon(t *testing.T) {
	patterns := regexp.MustCompile(`"pattern": (".*"),?\n`).FindAllSubmatch(must(JSONSchema()), -1)
	special := regexp.MustCompile(`\(\?[^:]|\\[pPuAzZQEGKkbB]|\[\[:|[*+?}]\+`)
	for _, found := range patterns {
		var pattern string
		if err := json.Unmarshal(found[1], &pattern); err != nil {
			t.Fatal(err)
		}
		if unusual := special.FindString(pattern); unusual != "" {
			t.Errorf("%s has %s", pattern, unusual)
		}
	}
	if len(patterns) < 20 {
		t.Errorf("found only %d patterns", len(patterns))
	}
}
