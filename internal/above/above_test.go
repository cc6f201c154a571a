package above

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func TestFolders(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no sticky bit")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	shared, inner := filepath.Join(root, "shared"), filepath.Join(root, "shared", "a", "b")
	if err := os.MkdirAll(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := slices.Collect(Folders(inner)); !slices.Contains(got, root) {
		t.Errorf("without a shared folder: %v", got)
	}
	if err := os.Chmod(shared, 0o777|fs.ModeSticky); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Collect(Folders(inner)), []string{inner, filepath.Dir(inner)}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := slices.Collect(Folders(shared)); len(got) == 0 || got[0] != shared {
		t.Errorf("%v does not begin with the folder itself", got)
	}
	link := filepath.Join(root, "link")
	if err := os.Symlink(inner, link); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{inner, link} {
		if got, err := Shared(dir); got != shared || err != nil {
			t.Errorf("%s: %q, want %q: %v", dir, got, shared, err)
		}
	}
}
