package cache

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestRecord(t *testing.T) {
	t.Setenv("OPGEN_CACHE", t.TempDir())
	file := Open(t.TempDir())
	var read map[string]int
	if file.Load(&read) {
		t.Error("there is a record before the first is saved")
	}
	for _, saved := range []int{1, 2} {
		if err := file.Save(map[string]int{"a": saved}); err != nil {
			t.Fatal(err)
		}
		if !file.Load(&read) || read["a"] != saved {
			t.Errorf("%v is loaded, want %d", read, saved)
		}
	}
	if Open(t.TempDir()).Load(&read) {
		t.Error("another project has the record, too")
	}
}

// A record that is not whole, or not of this opgen, is none.
func TestRecordsThatAreNone(t *testing.T) {
	t.Setenv("OPGEN_CACHE", t.TempDir())
	file := Open(t.TempDir())
	if err := file.Save(map[string]string{"a": "one"}); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(file.path)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"empty":            {},
		"half":             good[:len(good)-3],
		"another value":    bytes.Replace(good, []byte("one"), []byte("two"), 1),
		"another opgen":    bytes.Replace(good, []byte("opgen "), []byte("opgen x"), 1),
		"the header alone": good[:bytes.IndexByte(good, '\n')+1],
		"no header":        []byte(`{"a":"one"}`),
	} {
		if err := os.WriteFile(file.path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		var read map[string]string
		if file.Load(&read) {
			t.Errorf("%s: %v is loaded", name, read)
		}
	}
}

func TestNoFolderForRecords(t *testing.T) {
	for name, folder := range map[string]string{"a file": "/dev/null", "a folder that nobody can make": "/proc/none"} {
		t.Setenv("OPGEN_CACHE", folder)
		file := Open(t.TempDir())
		if err := file.Save(1); err == nil {
			t.Errorf("%s: a record is saved", name)
		}
		var read int
		if file.Load(&read) {
			t.Errorf("%s: a record is loaded", name)
		}
	}
	t.Setenv("OPGEN_CACHE", "")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("HOME", "")
	t.Setenv("LocalAppData", "")
	file := Open(t.TempDir())
	if err := file.Save(1); err != nil {
		t.Errorf("without a home: %v", err)
	}
}

// The first record of a project removes those of projects that have not changed for a month.
func TestOldRecordsGo(t *testing.T) {
	t.Setenv("OPGEN_CACHE", t.TempDir())
	old, recent := Open(t.TempDir()), Open(t.TempDir())
	for file, age := range map[File]time.Duration{old: keptFor + time.Hour, recent: keptFor - time.Hour} {
		if err := file.Save(1); err != nil {
			t.Fatal(err)
		}
		saved := time.Now().Add(-age)
		if err := os.Chtimes(file.path, saved, saved); err != nil {
			t.Fatal(err)
		}
	}
	if err := Open(t.TempDir()).Save(1); err != nil {
		t.Fatal(err)
	}
	var read int
	if old.Load(&read) || !recent.Load(&read) {
		t.Errorf("old: %v, recent: %v", old.Load(&read), recent.Load(&read))
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(old.path), "*")); len(left) != 2 {
		t.Errorf("left are %v", left)
	}
}

// $OPGEN_CACHE may be a folder in which somebody keeps their own projects.
func TestFilesOfOthersStay(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("OPGEN_CACHE", cache)
	own := filepath.Join(cache, "projects")
	if err := os.Mkdir(own, 0o755); err != nil {
		t.Fatal(err)
	}
	theirs := []string{"thesis.txt", "0123456789abcdef.json", "next-", "next-year"}
	for _, name := range append(theirs, "next-123", "00112233445566778899aabbccddeeff.json") {
		file, saved := filepath.Join(own, name), time.Now().Add(-keptFor-time.Hour)
		if err := os.WriteFile(file, []byte("theirs"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, saved, saved); err != nil {
			t.Fatal(err)
		}
	}
	if err := Open(t.TempDir()).Save(1); err != nil {
		t.Fatal(err)
	}
	for _, name := range theirs {
		if _, err := os.Stat(filepath.Join(own, name)); err != nil {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(own, "*")); len(left) != len(theirs)+1 {
		t.Errorf("left are %v", left)
	}
}
