package cluster

import (
	"fmt"
	"strings"
	"testing"
)

func TestBuildKeyNamesWhatWasBuilt(t *testing.T) {
	files := []sourceFile{{"a.go", []byte("one")}, {"b.go", []byte("two")}}
	recipe := controlPlaneRecipe(Version)
	key := recipe.buildKey(files, "go1.26.0")
	if again := recipe.buildKey(files, "go1.26.0"); again != key {
		t.Errorf("the same build has the keys %s and %s", key, again)
	}
	if !strings.HasPrefix(key, Version+"-") {
		t.Errorf("key %s does not start with the version %s", key, Version)
	}
	for what, other := range map[string]string{
		"another Go version": recipe.buildKey(files, "go1.26.1"),
		"another content":    recipe.buildKey([]sourceFile{{"a.go", []byte("one!")}, {"b.go", []byte("two")}}, "go1.26.0"),
		"another name":       recipe.buildKey([]sourceFile{{"c.go", []byte("one")}, {"b.go", []byte("two")}}, "go1.26.0"),
		"a moved boundary":   recipe.buildKey([]sourceFile{{"a.go", []byte("onetwo")}, {"b.go", nil}}, "go1.26.0"),
		"a node":             nodeRecipe().buildKey(files, "go1.26.0"),
	} {
		if other == key {
			t.Errorf("%s gives the same key", what)
		}
	}
}

func TestSourcesAreAModuleOfTheRelease(t *testing.T) {
	for _, release := range Releases() {
		t.Run(string(release), func(t *testing.T) { expectModule(t, release) })
	}
}

func TestSourcesOfANodeAreThreeModules(t *testing.T) {
	files, err := nodeRecipe().sourceFiles()
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, file := range files {
		content[file.name] = string(file.data)
	}
	expectFiles(t, content, "module/node.go", "containerdmodule/go.mod", "nodemodule/go.mod", "nodemodule/supervisor/main.go")
}

func expectFiles(t *testing.T, content map[string]string, names ...string) {
	t.Helper()
	for _, name := range names {
		if content[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
}

func expectModule(t *testing.T, release Release) {
	files, err := controlPlaneRecipe(release).sourceFiles()
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, file := range files {
		content[file.name] = string(file.data)
	}
	expectFiles(t, content, "module/go.mod", "module/go.sum", "module/main.go", "module/manager.go", "module/release.go")
	if want := fmt.Sprintf("k8s.io/kubernetes %s\n", release); !strings.Contains(content["module/go.mod"], want) {
		t.Errorf("go.mod does not require %s", want)
	}
	staging := strings.Replace(string(release), "v1.", "v0.", 1)
	for line := range strings.Lines(content["module/go.mod"]) {
		if strings.Contains(line, " => ") && !strings.HasSuffix(line, " "+staging+"\n") {
			t.Errorf("go.mod replaces a module by another version than %s: %s", staging, line)
		}
	}
	if want := fmt.Sprintf("k8s.io/kubernetes %s h1:", release); !strings.Contains(content["module/go.sum"], want) {
		t.Errorf("go.sum has no checksum of %s", release)
	}
}
