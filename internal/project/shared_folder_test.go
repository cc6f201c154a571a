package project

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// What lies in a folder where every user can make files is not the user's: no project is found there, no workspace and no
// module.
func TestNothingIsReadInSharedFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sticky bit")
	}
	t.Setenv("GOWORK", "")
	shared := t.TempDir()
	dir := filepath.Join(shared, "op")
	for name, content := range map[string]string{
		FileName: "kind: Project\n", "go.work": "go 1.26\n\nuse ./op\n", "go.mod": "module example.com/of/others\n", "op/main.go": "package main\n",
	} {
		path := filepath.Join(shared, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	if found, err := Find(); err != nil || found != shared {
		t.Fatalf("in a folder that is not shared, the project is %q: %v", found, err)
	}
	if err := os.Chmod(shared, 0o777|fs.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if found, err := Find(); err == nil {
		t.Errorf("the project is %s", found)
	}
	if workspace, err := Workspace(dir); workspace != "off" || err != nil {
		t.Errorf("the workspace is %q: %v", workspace, err)
	}
	if module := moduleAt(dir); module.Dir != dir {
		t.Errorf("the module is in %s", module.Dir)
	}
	t.Chdir(shared)
	if found, err := Find(); err != nil || found != shared {
		t.Errorf("in the shared folder itself, the project is %q: %v", found, err)
	}
}
