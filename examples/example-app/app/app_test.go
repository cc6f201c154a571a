package main

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// is has the program be another version until the test ends.
func is(t *testing.T, other string) {
	before := version
	version = other
	t.Cleanup(func() { version = before })
}

func newStore(t *testing.T, values map[string]string) (data string, s *store) {
	t.Helper()
	data = t.TempDir()
	s, err := openStore(data, dataFormat())
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range values {
		if err := s.put(key, []byte(value), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	return data, s
}

func valuesIn(t *testing.T, data string) map[string]string {
	t.Helper()
	s, err := openStore(data, dataFormat())
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.dump()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for key, value := range all.Values {
		values[key] = string(value)
	}
	return values
}

var fruit = map[string]string{"a/b c": "apple", "ü": "", "long": strings.Repeat("x\n", 1000)}

func TestServerKeepsValues(t *testing.T) {
	_, s := newStore(t, nil)
	server := httptest.NewServer(newHandler(s, settings{token: "secret", maxValue: 10}))
	defer server.Close()
	call := func(method, path, token, body string) (int, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Auth-Token", token)
		response, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, strings.TrimSpace(string(text))
	}
	for _, step := range []struct {
		method, path, token, body string
		code                      int
		answer                    string
	}{
		{"GET", "/healthz", "", "", 200, "ok"},
		{"GET", "/version", "", "", 200, "1.0.0"},
		{"GET", "/keys", "wrong", "", 401, "the token is wrong"},
		{"PUT", "/keys/a", "secret", "apple", 204, ""},
		{"GET", "/keys/a", "secret", "", 200, "apple"},
		{"PUT", "/keys/b", "secret", "more than ten", 413, "the value is too large"},
		{"GET", "/keys", "secret", "", 200, `["a"]`},
		{"DELETE", "/keys/a", "secret", "", 204, ""},
		{"DELETE", "/keys/a", "secret", "", 204, ""},
		{"GET", "/keys/a", "secret", "", 404, "there is no such key"},
	} {
		if code, answer := call(step.method, step.path, step.token, step.body); code != step.code || answer != step.answer {
			t.Errorf("%s %s: %d %q, want %d %q", step.method, step.path, code, answer, step.code, step.answer)
		}
	}
}

func TestMigrationThereAndBack(t *testing.T) {
	data, _ := newStore(t, fruit)
	for _, other := range []string{"2.0.0", "2.1.0", "1.0.0"} {
		is(t, other)
		for range 2 { // again changes nothing
			if err := migrate(data, dataFormat()); err != nil {
				t.Fatal(err)
			}
		}
		if got := valuesIn(t, data); !maps.Equal(got, fruit) {
			t.Errorf("version %s has %v", other, got)
		}
	}
}

func TestAMigrationIsCutOff(t *testing.T) {
	data, _ := newStore(t, fruit)
	is(t, "2.0.0")
	if err := os.CopyFS(folderOf(data, 2), os.DirFS(folderOf(data, 1))); err != nil { // before the old one is removed
		t.Fatal(err)
	}
	if _, err := openStore(data, 2); err == nil {
		t.Error("data of two formats is served")
	}
	if err := migrate(data, 2); err != nil || len(existingFormats(data)) != 1 {
		t.Error(err, existingFormats(data))
	}
}

func TestOtherFormatsAreNotServed(t *testing.T) {
	data, _ := newStore(t, fruit)
	if _, err := openStore(data, 2); err == nil || !strings.Contains(err.Error(), "run app migrate") {
		t.Errorf("the error is %v", err)
	}
}

func TestBackupAndRestore(t *testing.T) {
	stored := map[string][]byte{}
	objects := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPut {
			stored[r.URL.Path], _ = io.ReadAll(r.Body)
			return
		}
		content, found := stored[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
	}))
	defer objects.Close()
	for _, place := range []string{filepath.Join(t.TempDir(), "monday"), objects.URL + "/bucket/monday"} {
		data, _ := newStore(t, fruit)
		if err := run(t.Context(), []string{"backup", "--data", data, "--to", place}); err != nil {
			t.Fatal(err)
		}
		// The backup of one version is restored by another, and nothing that was there stays.
		is(t, "2.0.0")
		other, _ := newStore(t, map[string]string{"left": "over"})
		if err := run(t.Context(), []string{"restore", "--data", other, "--from", place}); err != nil {
			t.Fatal(err)
		}
		if got := valuesIn(t, other); !maps.Equal(got, fruit) {
			t.Errorf("%s: restored %v", place, got)
		}
		if err := run(t.Context(), []string{"restore", "--data", other, "--from", place + "-none"}); err == nil {
			t.Errorf("%s: a backup that does not exist was restored", place)
		}
		is(t, "1.0.0")
	}
	var one dump
	if err := json.Unmarshal(stored["/bucket/monday"], &one); err != nil || one.Version != "1.0.0" {
		t.Errorf("the object is of %q, %v", one.Version, err)
	}
}

func TestOldBackupsAreRemoved(t *testing.T) {
	data, _ := newStore(t, fruit)
	folder := t.TempDir()
	for _, name := range []string{"shop-backup-1", "shop-backup-2", "shop-backup-3", "shop-before-2-0-0"} {
		if err := run(t.Context(), []string{"backup", "--data", data, "--to", filepath.Join(folder, name), "--keep", "2"}); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(folder + "/*")
	if err != nil || len(files) != 3 || filepath.Base(files[0]) != "shop-backup-2" {
		t.Errorf("these are left: %v, %v", files, err)
	}
}
