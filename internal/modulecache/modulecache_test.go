package modulecache

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/dirhash"
)

// fillCache makes a module cache with example.com/house v1.0.0 and example.com/Other/sub v2.1.0. It
// returns their checksums as lines of tools.sum.
func fillCache(t *testing.T) (cache, sums string) {
	t.Helper()
	cache = t.TempDir()
	t.Setenv("GOMODCACHE", cache)
	for module, folder := range map[string]string{
		"example.com/house v1.0.0":     "example.com/house@v1.0.0",
		"example.com/Other/sub v2.1.0": "example.com/!other/sub@v2.1.0",
	} {
		dir := filepath.Join(cache, folder)
		write(t, filepath.Join(dir, "templates", "a.md.tmpl"), "a")
		sum, err := dirhash.HashDir(dir, strings.Replace(module, " ", "@", 1), dirhash.Hash1)
		if err != nil {
			t.Fatal(err)
		}
		sums += module + " " + sum + "\n" + module + "/go.mod h1:x=\n"
	}
	return cache, sums
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	cache, sums := fillCache(t)
	const head = "module example.com/p\n\ngo 1.26\n\n"
	for _, tc := range []struct {
		given, mod, sums, path string
		want                   string // the folder, in the cache or the project
		message, hint          string
	}{
		{given: "a module", mod: "require example.com/house v1.0.0", path: "example.com/house", want: "example.com/house@v1.0.0"},
		{
			given: "a folder of a module", mod: "require example.com/house v1.0.0", path: "example.com/house/templates",
			want: "example.com/house@v1.0.0/templates",
		},
		{
			given: "the longest path", mod: "require (\n\texample.com/Other/sub v2.1.0+incompatible\n\texample.com/Other v1.0.0\n)\nreplace example.com/Other/sub => example.com/Other/sub v2.1.0",
			path: "example.com/Other/sub/templates", want: "example.com/!other/sub@v2.1.0/templates",
		},
		{given: "a folder instead", mod: "require example.com/house v1.0.0\nreplace example.com/house => ../house", path: "example.com/house/x", want: "../house/x"},
		{
			given: "a folder instead of another version", mod: "require example.com/house v1.0.0\nreplace example.com/house v1.1.0 => ../house", path: "example.com/house",
			want: "example.com/house@v1.0.0",
		},
		{
			given: "the replacement of the version before that of all", path: "example.com/house",
			mod:  "require example.com/house v1.0.0\nreplace example.com/house => ../all\nreplace example.com/house v1.0.0 => ../one",
			want: "../one",
		},
		{
			given: "a prefix of an element", mod: "require example.com/hou v1.0.0", path: "example.com/house/templates",
			message: "tools.mod requires no module that example.com/house/templates could be in",
			hint:    "run, with the path of its module: go get -modfile=tools.mod example.com/house@latest",
		},
		{
			given: "a repository", path: "github.com/acme/house/a/b", message: "tools.mod requires no module that github.com/acme/house/a/b could be in",
			hint: "run, with the path of its module: go get -modfile=tools.mod github.com/acme/house@latest",
		},
		{
			given: "not downloaded", mod: "require example.com/house v1.0.1", sums: "example.com/house v1.0.1 h1:x=\n", path: "example.com/house",
			message: "example.com/house@v1.0.1 is not in the module cache", hint: "run: go mod download -modfile=tools.mod example.com/house",
		},
		{
			given: "without a checksum", mod: "require example.com/house v1.0.0", sums: "example.com/house v1.0.0/go.mod h1:x=\n", path: "example.com/house",
			message: "tools.sum has no checksum of example.com/house@v1.0.0", hint: "run: go mod download -modfile=tools.mod example.com/house",
		},
		{
			given: "with another checksum", mod: "require example.com/house v1.0.0", sums: "example.com/house v1.0.0 h1:x=\n", path: "example.com/house",
			message: "example.com/house@v1.0.0 in the module cache is not what tools.sum has the checksum of",
			hint:    "delete " + filepath.Join(cache, "example.com/house@v1.0.0") + " and run: go mod download -modfile=tools.mod example.com/house",
		},
	} {
		t.Run(tc.given, func(t *testing.T) {
			if tc.sums == "" {
				tc.sums = sums
			}
			m, err := Parse("/project", "tools.mod", []byte(head+tc.mod+"\n"), []byte(tc.sums))
			if err != nil {
				t.Fatal(err)
			}
			got, problem := m.Find(tc.path)
			if tc.message != "" {
				if problem == nil || problem.Message != tc.message || problem.Hint != tc.hint {
					t.Errorf("got %q, %+v", got, problem)
				}
				return
			}
			want := filepath.Join(cache, tc.want)
			if strings.HasPrefix(tc.want, "..") {
				want = filepath.Join("/project", tc.want)
			}
			if problem != nil || got != want {
				t.Errorf("got %q, %+v, want %q", got, problem, want)
			}
		})
	}
}

// What is changed in the cache is seen, wherever it is in the module.
func TestChangedModule(t *testing.T) {
	cache, sums := fillCache(t)
	m, err := Parse("/project", "tools.mod", []byte("module p\n\nrequire example.com/house v1.0.0\n"), []byte(sums))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(cache, "example.com", "house@v1.0.0", "go.mod"), "module example.com/house\n")
	if _, problem := m.Find("example.com/house/templates"); problem == nil || !strings.Contains(problem.Message, "checksum") {
		t.Errorf("got %+v", problem)
	}
}

// The folder of the cache is the one that the go command prints.
func TestCacheFolder(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "env")
	write(t, file, "GOPROXY=off\nGOPATH="+filepath.Join(home, "written")+"\n")
	for name, env := range map[string]map[string]string{
		"GOMODCACHE":     {"GOMODCACHE": filepath.Join(home, "cache"), "GOPATH": "/x"},
		"GOPATH":         {"GOMODCACHE": "", "GOPATH": filepath.Join(home, "one") + string(os.PathListSeparator) + "/two"},
		"go env -w":      {"GOMODCACHE": "", "GOPATH": "", "GOENV": file},
		"nothing at all": {"GOMODCACHE": "", "GOPATH": "", "GOENV": "off"},
	} {
		t.Run(name, func(t *testing.T) {
			for key, value := range env {
				t.Setenv(key, value)
			}
			want, err := exec.Command("go", "env", "GOMODCACHE").Output()
			if err != nil {
				t.Fatal(err)
			}
			if got := Folder(); got != strings.TrimSpace(string(want)) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
