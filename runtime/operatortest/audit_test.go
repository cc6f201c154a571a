package operatortest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestAuditReadsTheLogAsItGrows(t *testing.T) {
	const (
		ours    = `{"stage":"ResponseComplete","verb":"patch","userAgent":"us","requestURI":"/api/v1/namespaces/a/pods/web?fieldManager=x","objectRef":{"resource":"pods","namespace":"a","name":"web"},"responseStatus":{"code":201}}` + "\n"
		dryRun  = `{"stage":"ResponseComplete","verb":"patch","userAgent":"us","requestURI":"/api/v1/namespaces/a/pods/web?dryRun=All","objectRef":{"resource":"pods","subresource":"status","namespace":"a","name":"web"},"responseStatus":{"code":200}}` + "\n"
		watch   = `{"stage":"ResponseComplete","verb":"watch","userAgent":"us","objectRef":{"resource":"pods"}}` + "\n"
		begins  = `{"stage":"RequestReceived","verb":"patch","userAgent":"us","objectRef":{"resource":"pods"}}` + "\n"
		lease   = `{"stage":"ResponseComplete","verb":"update","userAgent":"us","objectRef":{"resource":"leases"}}` + "\n"
		another = `{"stage":"ResponseComplete","verb":"patch","userAgent":"them","objectRef":{"resource":"pods"}}` + "\n"
	)
	path := filepath.Join(t.TempDir(), "audit.log")
	write := func(flags int, text string) {
		t.Helper()
		file, err := os.OpenFile(path, flags|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	write(0, ours+ours[:20]) // before the test
	t.Setenv("OPGEN_AUDIT_LOG", path)
	log := openAudit(t)
	expect := func(expected ...Request) {
		t.Helper()
		if err := log.readNew(); err != nil {
			t.Fatal(err)
		}
		if diff := Diff(expected, log.requests["us"]); diff != "" {
			t.Errorf("requests (-expected +got):\n%s", diff)
		}
	}
	patch := Request{Verb: "patch", Resource: "pods", Namespace: "a", Name: "web", Code: 201}
	asked := Request{Verb: "patch", Resource: "pods/status", Namespace: "a", Name: "web", Code: 200, DryRun: true}

	expect()
	write(os.O_APPEND, ours[20:])
	expect() // of a request that ended before the test began
	write(os.O_APPEND, watch+begins+lease+another+ours[:50])
	expect()
	write(os.O_APPEND, ours[50:]+dryRun)
	expect(patch, asked)
	write(os.O_APPEND, dryRun)
	if err := os.Rename(path, path+".1"); err != nil { // rotated, before all of it was read
		t.Fatal(err)
	}
	expect(patch, asked, asked)
	write(0, strings.Repeat(watch, 100)+ours)
	expect(patch, asked, asked, patch)
}

func TestReadCRDs(t *testing.T) {
	crds, err := readCRDs("../internal/testapi")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, crd := range crds {
		names = append(names, crd.Metadata.Name)
	}
	if want := []string{"sites.test.opgen.dev", "realms.test.opgen.dev", "widgets.test.opgen.dev", "catalogs.test.opgen.dev", "sites.severe.test.opgen.dev"}; !slices.Equal(names, want) {
		t.Errorf("read %v, want %v", names, want)
	}
	if _, err := readCRDs("../operator"); err == nil || err.Error() != "../operator holds no CustomResourceDefinition" {
		t.Errorf("error %v for a folder without one", err)
	}
}
