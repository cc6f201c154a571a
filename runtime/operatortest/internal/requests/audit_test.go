package requests

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
	log, err := OpenAudit(path)
	if err != nil {
		t.Fatal(err)
	}
	us, err := log.Follow("us")
	if err != nil {
		t.Fatal(err)
	}
	expect := func(expected ...Request) {
		t.Helper()
		if err := us.ReadNew(); err != nil {
			t.Fatal(err)
		}
		if got := us.Requests(); !slices.Equal(expected, got) {
			t.Errorf("requests %v, want %v", got, expected)
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

	them, err := log.Follow("them") // while another is followed
	if err != nil {
		t.Fatal(err)
	}
	write(os.O_APPEND, another)
	expect(patch, asked, asked, patch)
	if got := them.Requests(); len(got) != 1 || got[0].Verb != "patch" {
		t.Errorf("their requests are %v, although all lines are read", got)
	}
	us.Close()
	them.Close()
	write(os.O_APPEND, ours)
	if us, err = log.Follow("us"); err != nil {
		t.Fatal(err)
	}
	expect() // what was written while nobody was followed
	write(os.O_APPEND, ours)
	expect(patch)
}
