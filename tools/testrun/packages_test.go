package main

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// TestPackages has three packages: of one the test package imports another package that reads the kubeconfig.
func TestPackages(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a_test.go": "package a\n\nfunc TestMain(m *testing.M) {}\nfunc TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}\nfunc FuzzC(f *testing.F) {}\n",
		"kit.go":    "package kit\n\nvar kubeconfig = os.Getenv(\"OPGEN_TEST_KUBECONFIG\")\n",
		"plain.go":  "package plain\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := graph{}
	for _, p := range []listed{
		{ImportPath: "fmt", Stale: true, DepOnly: true},
		{ImportPath: modulePath + "kit", Dir: dir, GoFiles: []string{"kit.go"}, Deps: []string{"fmt"}, Stale: true},
		{ImportPath: modulePath + "a", Dir: dir, GoFiles: []string{"plain.go"}, TestGoFiles: []string{"a_test.go"}, Stale: true},
		{ImportPath: modulePath + "a [" + modulePath + "a.test]", ForTest: modulePath + "a", Dir: dir, GoFiles: []string{"plain.go", "a_test.go"}, Stale: true},
		{ImportPath: modulePath + "a.test", Deps: []string{modulePath + "a [" + modulePath + "a.test]", modulePath + "kit", "fmt"}, Stale: true},
		{ImportPath: modulePath + "plain", Dir: dir, GoFiles: []string{"plain.go"}, XTestGoFiles: []string{"a_test.go"}},
		{ImportPath: modulePath + "plain.test", Deps: []string{modulePath + "plain"}, Stale: true},
	} {
		all[p.ImportPath] = &p
	}
	packages := all.testPackages(newTestFilter([]string{"-short", "-skip=^TestB$", "-run=A|B|C/sub"}))
	expected := []testPackage{
		{path: modulePath + "kit", size: 1, needsCluster: false}, // has no tests
		{path: modulePath + "plain", tests: 2, size: 1},
		{path: modulePath + "a", tests: 2, needsCluster: true, size: 3},
	}
	if !reflect.DeepEqual(packages, expected) {
		t.Errorf("got %+v, want %+v", packages, expected)
	}
	if packages[0].group() != small || packages[2].group() != cluster || (testPackage{size: 800}).group() != pure {
		t.Errorf("the groups of %+v are %s, %s", packages, packages[0].group(), packages[2].group())
	}
	if n := all.countStale(packages); n != 3 {
		t.Errorf("%d packages are to be compiled, want 3: fmt, kit, a with its tests", n)
	}
}
