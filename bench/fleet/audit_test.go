package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The log is written by a process that renames it when it has grown; nothing of it may be lost or counted twice.
func TestAudit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	lines := func(from, to int) string {
		var text string
		for i := from; i < to; i++ {
			text += line("create", "configmaps", "", fmt.Sprintf("echo-%d", i), 201)
		}
		return text
	}
	file := newFile(t, path)
	write(t, file, lines(0, 10)) // before it is opened
	a, err := openAudit(path, "operator")
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	all := lines(10, 100)
	half := len(all)/2 + 7
	for _, step := range []func(){
		func() { write(t, file, all[:half]) },
		func() { write(t, file, all[half:]) },
		func() {
			write(t, file, lines(100, 110))
			if err := os.Rename(path, path+".1"); err != nil {
				t.Fatal(err)
			}
		},
		func() {
			file = newFile(t, path)
			write(t, file, lines(110, 120))
		},
	} {
		step()
		if err := a.read(); err != nil {
			t.Fatal(err)
		}
	}
	if len(a.requests) != 110 {
		t.Fatalf("%d requests, want 110", len(a.requests))
	}
	for i, r := range a.requests {
		if want := fmt.Sprintf("echo-%d", i+10); r.Name != want {
			t.Errorf("request %d is of %s, want %s", i, r.Name, want)
		}
	}
}

func TestAuditLeavesOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	file := newFile(t, path)
	a, err := openAudit(path, "operator")
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	write(t, file, line("list", "services", "", "", 200)+line("watch", "services", "", "", 200)+
		line("update", "leases", "", "operator", 200)+line("create", "tokenreviews", "", "", 201)+
		line("patch", "echoservers", "status", "a", 200)+line("patch", "echoservers", "status", "b", 409)+
		line("patch", "echoservers", "status", "a", 200)+
		`{"verb":"create","userAgent":"operator-of-another/v1","objectRef":{"resource":"services"}}`+"\n")
	if err := a.read(); err != nil {
		t.Fatal(err)
	}
	if len(a.requests) != 3 || a.lists != 2 || conflicts(a.requests) != 1 {
		t.Errorf("%d requests, %d lists and watches, %d conflicts; want 3, 2, 1", len(a.requests), a.lists, conflicts(a.requests))
	}
	if parents, last := settledAt(a.requests); parents != 1 || !last.Equal(a.requests[0].At) {
		t.Errorf("%d parents are settled at %s, want 1 at its first write", parents, last)
	}
}

func line(verb, resource, subresource, name string, code int) string {
	return fmt.Sprintf(`{"verb":%q,"userAgent":"operator/v1 (linux)","objectRef":{"resource":%q,"subresource":%q,"name":%q},"responseStatus":{"code":%d},"stageTimestamp":"2026-01-02T03:04:05.000006Z"}`+"\n",
		verb, resource, subresource, name, code)
}

func newFile(t *testing.T, path string) *os.File {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func write(t *testing.T, file *os.File, text string) {
	t.Helper()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
}
