package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"testing"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/longtest"
)

const stale = "bundle.zip is out of date: run go generate ./internal/kubetypes"

func TestBundleHasTheVersionsOfGoMod(t *testing.T) {
	want, err := versions()
	if err != nil {
		t.Fatal(err)
	}
	if got := kubetypes.Versions(); !maps.Equal(got, want) {
		t.Errorf("%s\nit has %v\ngo.mod has %v", stale, got, want)
	}
}

func TestBundleIsReproducible(t *testing.T) {
	longtest.Skip(t, "it loads every Go package of Kubernetes")
	got, err := bundle()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../bundle.zip")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error(stale)
	}
}

// TestLookupsAreExact shows that the references of the archive lose nothing: every type resolves to the very
// schema that controller-tools gives it.
func TestLookupsAreExact(t *testing.T) {
	longtest.Skip(t, "it loads every Go package of Kubernetes")
	k, err := load(true)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range k.types() {
		want = withRequiredKeys(want)
		got, found := kubetypes.TypeByName(name)
		if !found {
			t.Errorf("%s: unknown", name)
			continue
		}
		if text(t, got) != text(t, want) {
			t.Errorf("%s: differs", name)
		}
	}
}

// TestBareMetadataIsExact shows the same of the schemas that controller-tools gives the types when it is not asked to
// name the fields of metadata.
func TestBareMetadataIsExact(t *testing.T) {
	longtest.Skip(t, "it loads every Go package of Kubernetes")
	k, err := load(false)
	if err != nil {
		t.Fatal(err)
	}
	reader := kubetypes.Reader{Metadata: kubetypes.NoMetadata}
	for name, want := range k.types() {
		want = withRequiredKeys(want)
		if got, _ := reader.Type(name); text(t, got) != text(t, want) {
			t.Errorf("%s: differs when it is read", name)
		}
		named, _ := kubetypes.TypeByName(name)
		before := text(t, named)
		if got := kubetypes.WithMetadata(named.Schema, kubetypes.NoMetadata); text(t, got) != text(t, want.Schema) {
			t.Errorf("%s: differs when it is made from the other", name)
		}
		if text(t, named) != before {
			t.Errorf("%s: the schema that was given is another now", name)
		}
	}
}

// withRequiredKeys returns a type with the one thing that opgen says of it and controller-tools does not.
func withRequiredKeys(t kubetypes.Type) kubetypes.Type {
	t.Schema = *t.Schema.DeepCopy()
	kubetypes.RequireKeys(&t.Schema)
	return t
}

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
