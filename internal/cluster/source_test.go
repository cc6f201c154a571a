package cluster

import (
	"strings"
	"testing"
)

func TestBuildKeyNamesWhatWasBuilt(t *testing.T) {
	files := []sourceFile{{"a.go", []byte("one")}, {"b.go", []byte("two")}}
	key := buildKey(files, "go1.26.0")
	if again := buildKey(files, "go1.26.0"); again != key {
		t.Errorf("the same build has the keys %s and %s", key, again)
	}
	if !strings.HasPrefix(key, Version+"-") {
		t.Errorf("key %s does not start with the version %s", key, Version)
	}
	for what, other := range map[string]string{
		"another Go version": buildKey(files, "go1.26.1"),
		"another content":    buildKey([]sourceFile{{"a.go", []byte("one!")}, {"b.go", []byte("two")}}, "go1.26.0"),
		"another name":       buildKey([]sourceFile{{"c.go", []byte("one")}, {"b.go", []byte("two")}}, "go1.26.0"),
		"a moved boundary":   buildKey([]sourceFile{{"a.go", []byte("onetwo")}, {"b.go", nil}}, "go1.26.0"),
	} {
		if other == key {
			t.Errorf("%s gives the same key", what)
		}
	}
}

func TestSourcesAreAModuleOfTheVersion(t *testing.T) {
	files, err := sourceFiles()
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, file := range files {
		content[file.name] = string(file.data)
	}
	for _, name := range []string{"go.mod", "go.sum", "main.go", "manager.go"} {
		if content[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	if want := "k8s.io/kubernetes " + Version + "\n"; !strings.Contains(content["go.mod"], want) {
		t.Errorf("go.mod does not require %s", want)
	}
	staging := strings.Replace(Version, "v1.", "v0.", 1)
	for line := range strings.Lines(content["go.mod"]) {
		if strings.Contains(line, " => ") && !strings.HasSuffix(line, " "+staging+"\n") {
			t.Errorf("go.mod replaces a module by another version than %s: %s", staging, line)
		}
	}
}
