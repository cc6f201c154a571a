package deployment

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// contacts counts what kustomize asks for: requests of a server, and runs of git.
type contacts struct {
	url      string
	requests atomic.Int64
	runs     string
}

func countContacts(t *testing.T) *contacts {
	t.Helper()
	c := &contacts{runs: filepath.Join(t.TempDir(), "runs")}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c.requests.Add(1)
		_, _ = w.Write([]byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: remote}\n"))
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >>" + c.runs + "\nexit 1\n"
	if err := os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	return c
}

// take returns how many there were since the last call.
func (c *contacts) take(t *testing.T) int {
	t.Helper()
	runs, err := os.ReadFile(c.runs)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	_ = os.Remove(c.runs)
	return int(c.requests.Swap(0)) + strings.Count(string(runs), "\n")
}

const plugin = "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: p}\ntarget: {kind: Deployment}\npath: URL/p.yaml\n"

// TestRenderLoadsNothingRemote has each way in which a kustomization can name a URL or a repository. Each of them is
// loaded if that is allowed.
func TestRenderLoadsNothingRemote(t *testing.T) {
	c := countContacts(t)
	for given, files := range map[string]map[string]string{
		"a resource":                {"kustomization.yaml": "resources: [manager.yaml,\n  URL/x.yaml]\n"},
		"in capitals":               {"kustomization.yaml": "resources: [manager.yaml,\n  'CAPITALS/x.yaml']\n"},
		"a base":                    {"kustomization.yaml": "resources: [manager.yaml]\nbases: ['github.com/a/b']\n"},
		"a component":               {"kustomization.yaml": "resources: [manager.yaml]\ncomponents: ['https://127.0.0.1:1/a/b?ref=v1']\n"},
		"a repository by ssh":       {"kustomization.yaml": "resources: [manager.yaml,\n  'git@127.0.0.1:a/b']\n"},
		"a repository by its URL":   {"kustomization.yaml": "resources: [manager.yaml,\n  'ssh://127.0.0.1/a/b']\n"},
		"a repository with git::":   {"kustomization.yaml": "resources: [manager.yaml,\n  'git::https://127.0.0.1:1/a/b.git']\n"},
		"a repository on this disk": {"kustomization.yaml": "resources: [manager.yaml,\n  'file:///a/b']\n"},
		"a patch":                   {"kustomization.yaml": "resources: [manager.yaml]\npatches: [{path: URL/p.yaml}]\n"},
		"a strategic merge patch":   {"kustomization.yaml": "resources: [manager.yaml]\npatchesStrategicMerge: [URL/p.yaml]\n"},
		"a JSON patch":              {"kustomization.yaml": "resources: [manager.yaml]\npatchesJson6902: [{target: {version: v1, kind: Deployment, name: op}, path: URL/p.yaml}]\n"},
		"a file of a ConfigMap":     {"kustomization.yaml": "resources: [manager.yaml]\nconfigMapGenerator: [{name: a, files: [URL/p.yaml]}]\n"},
		"a named file of a Secret":  {"kustomization.yaml": "resources: [manager.yaml]\nsecretGenerator: [{name: a, files: [\"key=URL/p.yaml\"]}]\n"},
		"an env file":               {"kustomization.yaml": "resources: [manager.yaml]\nconfigMapGenerator: [{name: a, envs: [URL/p.yaml]}]\n"},
		"an old env file":           {"kustomization.yaml": "resources: [manager.yaml]\nconfigMapGenerator: [{name: a, env: URL/p.yaml}]\n"},
		"a replacement":             {"kustomization.yaml": "resources: [manager.yaml]\nreplacements: [{path: URL/p.yaml}]\n"},
		"a configuration":           {"kustomization.yaml": "resources: [manager.yaml]\nconfigurations: [URL/p.yaml]\n"},
		"a CRD":                     {"kustomization.yaml": "resources: [manager.yaml]\ncrds: [URL/p.yaml]\n"},
		"a schema":                  {"kustomization.yaml": "resources: [manager.yaml]\nopenapi: {path: URL/p.yaml}\n"},
		"a generator":               {"kustomization.yaml": "resources: [manager.yaml]\ngenerators: [URL/p.yaml]\n"},
		"a transformer":             {"kustomization.yaml": "resources: [manager.yaml]\ntransformers: [URL/p.yaml]\n"},
		"a validator":               {"kustomization.yaml": "resources: [manager.yaml]\nvalidators: [URL/p.yaml]\n"},
		"a transformer in the text": {"kustomization.yaml": "resources: [manager.yaml]\ntransformers:\n- |\n  apiVersion: builtin\n  kind: PatchTransformer\n  metadata: {name: p}\n  path: URL/p.yaml\n"},
		"a transformer in one line": {"kustomization.yaml": "resources: [manager.yaml]\ntransformers: ['{apiVersion: builtin, kind: PatchTransformer, metadata: {name: p}, path: URL/p.yaml}']\n"},
		"a transformer's file":      {"kustomization.yaml": "resources: [manager.yaml]\ntransformers: [t.yaml]\n", "t.yaml": plugin},
		"a transformer in a list":   {"kustomization.yaml": "resources: [manager.yaml]\ntransformers: [t.yaml]\n", "t.yaml": "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(plugin), "\n", "\n  ") + "\n"},
		"a transformer's folder":    {"kustomization.yaml": "resources: [manager.yaml]\ntransformers: [t]\n", "t/kustomization.yaml": "resources: [t.yaml]\npatches: [{target: {kind: PatchTransformer}, patch: '[{\"op\": \"replace\", \"path\": \"/path\", \"value\": \"URL/p.yaml\"}]'}]\n", "t/t.yaml": strings.Replace(plugin, "URL", "", 1)},
		"an alias of what is data":  {"kustomization.yaml": "commonAnnotations: {a: &a URL/x.yaml}\nresources: [manager.yaml, *a]\n"},
		"keys in other letters":     {"kustomization.yaml": "Resources: [manager.yaml, URL/x.yaml]\n"},
		"a base of a base":          {"kustomization.yaml": "resources: [manager.yaml, sub]\n", "sub/kustomization.yml": "resources: [URL/x.yaml]\n"},
		"behind a symbolic link":    {"kustomization.yaml": "resources: [manager.yaml, sub]\n", "sub/notes.txt": "resources: [URL/x.yaml]\n", "sub/Kustomization": "link to notes.txt"},
		"the old name of the file":  {"Kustomization": "resources: [manager.yaml, URL/x.yaml]\n"},
	} {
		t.Run(given, func(t *testing.T) {
			dir := writeTree(t, files, c.url)
			t.Chdir(dir)
			_, _ = RenderRemote(dir, Image{})
			if c.take(t) == 0 {
				t.Fatal("kustomize loads nothing there, if it is allowed to")
			}
			_, err := Render(dir, Image{})
			if n := c.take(t); n > 0 || err == nil {
				t.Fatalf("%d contacts, error %v", n, err)
			}
			first, _, _ := strings.Cut(err.Error(), "\n")
			if !strings.Contains(err.Error(), "--allow-remote") || !strings.Contains(first, ".yaml:") && !strings.Contains(first, "ustomization:") && !strings.Contains(first, ".yml:") && !strings.Contains(first, ".txt:") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// writeTree writes files with the URL of a server into a new folder. A text may say that the file is a link.
func writeTree(t *testing.T, files map[string]string, url string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	files["manager.yaml"] = manager
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		text = strings.NewReplacer("URL", url, "CAPITALS", strings.Replace(url, "http", "HTTP", 1)).Replace(text)
		if target, isLink := strings.CutPrefix(text, "link to "); isLink {
			err = os.Symlink(target, file)
		} else {
			err = os.WriteFile(file, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// URLs that are data stay what they are, and so do names of files that look like addresses.
func TestRenderKeepsURLsInObjects(t *testing.T) {
	c := countContacts(t)
	dir := writeTree(t, map[string]string{
		"kustomization.yaml": `resources: [manager.yaml, object.yaml]
commonAnnotations: {home: URL/a, from: 'git@example.com:a/b'}
labels: [{pairs: {a: b}, includeSelectors: false}]
images: [{name: op, newName: 'example.com/op', digest: 'sha256:0123'}]
patches: [{target: {kind: Deployment}, patch: '[{"op": "add", "path": "/metadata/annotations/x", "value": "URL/x"}]'}]
configMapGenerator: [{name: a, literals: [url=URL/x], files: [logo@2x.png, values.yaml]}]
replacements: [{source: {kind: ConfigMap, name: o, fieldPath: data.path, options: {delimiter: '://', index: 1}}, targets: [{select: {kind: Deployment}, fieldPaths: [metadata.name]}]}]
transformers: ['{apiVersion: builtin, kind: AnnotationsTransformer, metadata: {name: a}, annotations: {url: URL}, fieldSpecs: [{path: metadata/annotations, create: true}]}']
`,
		"object.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: o}\ndata: {resources: URL/x, path: 'https://example.com'}\n",
		"logo@2x.png": "\x89PNG", "values.yaml": "resources: [URL/x]\npath: URL\n",
	}, c.url)
	objects, err := Render(dir, Image{})
	if n := c.take(t); n > 0 || err != nil || len(objects) != 3 {
		t.Errorf("%d contacts, %d objects, error %v", n, len(objects), err)
	}
}

func TestRenderNamesEachURLWithItsPlace(t *testing.T) {
	dir := writeTree(t, map[string]string{"kustomization.yaml": "resources:\n- manager.yaml\n- https://example.com/x.yaml\n- github.com/a/b//deploy?ref=v1\n"}, "")
	t.Chdir(dir)
	_, err := Render(dir, Image{})
	const expected = `kustomization.yaml:3:3: https://example.com/x.yaml is not in the project
    copy it into the project; opgen deploy and undeploy load it with --allow-remote
kustomization.yaml:4:3: github.com/a/b//deploy?ref=v1 is not in the project
    copy it into the project; opgen deploy and undeploy load it with --allow-remote`
	if err == nil || err.Error() != expected {
		t.Errorf("error %v", err)
	}
}
