package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadLicences(t *testing.T) {
	apache, err := os.ReadFile(filepath.Join(root, "LICENSE"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"LICENSE": string(apache), "LICENSE.docs": "of the documentation", "NOTICE": "made by somebody", "main.go": "package main\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	licences, files, err := readLicences(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]string{{"Apache-2.0"}, {"LICENSE", "NOTICE"}}, [][]string{licences, files}); diff != "" {
		t.Errorf("(-expected +got):\n%s", diff)
	}
}

func TestIdentify(t *testing.T) {
	if got := identify([]byte("All rights reserved. You may look at this, and do nothing else with it.")); got[len(got)-1] != "unknown" {
		t.Errorf("got %v of a text of its own", got)
	}
}

func TestCheckAllowed(t *testing.T) {
	err := checkAllowed([]linkedModule{
		{path: "example.com/good", licences: []string{"MIT"}},
		{path: "example.com/both", version: "v1.0.0", licences: []string{"GPL-3.0", "MIT"}},
		{path: "example.com/none", version: "v1.2.0"},
		{path: "github.com/spdx/tools-golang", licences: []string{"Apache-2.0", "GPL-2.0"}},
	}, allowed)
	expected := "example.com/both v1.0.0 has a licence that may not be linked, or that is not known: GPL-3.0\nexample.com/none v1.2.0 has no licence"
	if err == nil || err.Error() != expected {
		t.Errorf("got %v, expected\n%s", err, expected)
	}
}

// The list is of everything that is linked: the runtime and opgen link the Go client of Kubernetes.
func TestFindLinked(t *testing.T) {
	linked, err := findLinked(root, []program{{"opgen", "./cmd/opgen"}, {"operators", "./runtime/operator"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range linked {
		if m.path == "k8s.io/client-go" {
			if strings.Join(m.programs, " ") != "opgen operators" || strings.Join(m.licences, " ") != "Apache-2.0" {
				t.Errorf("got %+v", m)
			}
			return
		}
	}
	t.Error("k8s.io/client-go is not listed")
}
