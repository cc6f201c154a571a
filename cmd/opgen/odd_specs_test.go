package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/workdir"
)

// oddSpec is a spec file of an API that nobody would expect.
type oddSpec struct{ name, text string }

// oddSpecs makes a spec file of each line of the files in testdata. Kinds of odd names have groups
// and operators of their own, odd groups and versions groups of their own.
func oddSpecs(t *testing.T) (all []oddSpec) {
	t.Helper()
	add := func(name, group, kind, version, properties, more string) {
		text := fmt.Sprintf("apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: %s\nnames: {kind: %s}\nversions:\n- name: %s\n  spec:\n    properties: %s\n%s",
			group, kind, version, properties, more)
		all = append(all, oddSpec{name, text})
	}
	for i, line := range oddLines(t, "odd_schemas.txt") {
		add("schema "+line, "schemas.example.com", fmt.Sprintf("Odd%d", i), "v1", "\n      a: "+line, "")
	}
	const plain = "{a: string}"
	for i, line := range oddLines(t, "odd_names.txt") {
		what, name, _ := strings.Cut(line, " ")
		kind, own := fmt.Sprintf("Odd%d", i), fmt.Sprintf("g%d.example.com", i)
		switch what {
		case "property":
			add(line, "names.example.com", kind, "v1", "\n      "+name+": string | default=x", "")
		case "kind":
			add(line, own, name, "v1", plain, "operator:\n  children:\n  - {apiVersion: v1, kind: ConfigMap}\n")
		case "plural":
			add(line, own, kind+", plural: "+name, "v1", plain, "")
		case "short":
			add(line, own, kind+", shortNames: ["+name+"]", "v1", plain, "")
		case "group":
			add(line, name, kind, "v1", plain, "")
		case "version":
			add(line, own, kind, name, plain, "")
		}
	}
	return all
}

func oddLines(t *testing.T, file string) (lines []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// Whatever a spec file says, it is accepted or refused within seconds, with a message where it is
// refused; and what is accepted gives code that compiles, and CRDs that an API server takes.
func TestOddSpecs(t *testing.T) {
	specs := oddSpecs(t)
	if len(specs) < 300 {
		t.Errorf("there are %d odd specs, want 300 at least", len(specs))
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := workdir.New(t, "odd")
	t.Chdir(dir)
	if code, out := runIn(strings.NewReader(""), "init . --module example.com/odd"); code != 0 {
		t.Fatal(out)
	}
	project := "apiVersion: opgen.dev/v1alpha1\nkind: Project\nname: odd\nmodule: example.com/odd\nmultigroup: true\n"
	writeText(t, "opgen.yaml", project)
	accepted := 0
	var crds bytes.Buffer
	for i, odd := range specs {
		begun := time.Now()
		var out, errs bytes.Buffer
		code := run([]string{"crd", "-"}, streams{in: strings.NewReader(odd.text), out: &out, err: &errs})
		switch took := time.Since(begun); {
		case took > time.Minute: // of a machine that may be busy
			t.Errorf("%s: took %s", odd.name, took)
		case code == 0:
			accepted++
			fmt.Fprintf(&crds, "---\n%s", out.Bytes())
			writeText(t, fmt.Sprintf("api/odd%d.yaml", i), odd.text)
		case code != exitInvalid || errs.Len() == 0 || out.Len() > 0:
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", odd.name, code, out.String(), errs.String())
		}
	}
	t.Logf("%d of %d odd specs are accepted", accepted, len(specs))
	if code, out := runIn(strings.NewReader(""), "generate"); code != 0 {
		t.Fatalf("generate: exit code %d\n%s", code, out)
	}
	dryRunOdd(t, crds.Bytes())
	t.Run("build", buildOdd)
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func buildOdd(t *testing.T) {
	longtest.Skip(t, "it compiles the code of 300 kinds")
	build := exec.Command("go", "build", "./...")
	build.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=-mod=readonly -ldflags=-w", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("the generated project does not compile: %v\n%s", err, out)
	}
}

// dryRunOdd has an API server validate the CRDs, if the tests have one.
func dryRunOdd(t *testing.T, crds []byte) {
	t.Helper()
	kubeconfig := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if kubeconfig == "" {
		t.Log("OPGEN_TEST_KUBECONFIG is not set: no API server has seen the CRDs")
		return
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	definitions := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	for document := range bytes.SplitSeq(crds, []byte("\n---\n")) {
		crd := new(unstructured.Unstructured)
		text, err := yaml.YAMLToJSON(bytes.TrimPrefix(document, []byte("---\n")))
		if err == nil {
			err = crd.UnmarshalJSON(text) // which keeps integers what they are
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := definitions.Create(t.Context(), crd, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
			t.Errorf("%s: %v", crd.GetName(), err)
		}
	}
}
