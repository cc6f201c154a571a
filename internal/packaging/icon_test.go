package packaging

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The content of an icon is published with the bundle: only pictures of the project get there.
func TestReadIcon(t *testing.T) {
	above := t.TempDir()
	root := filepath.Join(above, "op")
	for name, content := range map[string]string{
		"secret.svg": "password", "op/icon.svg": "<?xml version='1.0'?>\n<svg/>", "op/icon.png": "\x89PNG\r\n\x1a\nrest", "op/text.svg": "password",
		"op/text.png": "<svg/>", "op/huge.svg": "<svg/>" + strings.Repeat(" ", maxIcon), "op/folder.svg/a": "a",
	} {
		path := filepath.Join(above, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"in.svg": "icon.svg", "out.svg": "../secret.svg", "absolute.svg": filepath.Join(above, "secret.svg"), "docs": ".."} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Skip(err)
		}
	}
	for file, mediaType := range map[string]string{"": "", "icon.svg": "image/svg+xml", "in.svg": "image/svg+xml", "icon.png": "image/png"} {
		if got, err := readIcon(root, file); err != nil || got.mediaType != mediaType {
			t.Errorf("%q is of type %q: %v", file, got.mediaType, err)
		}
	}
	for file, want := range map[string]string{
		"out.svg":         "out.svg: leads out of the folder of the project through a symbolic link",
		"absolute.svg":    "absolute.svg: leads out",
		"docs/secret.svg": "docs/secret.svg: leads out",
		"text.svg":        "text.svg is no picture of the type image/svg+xml",
		"text.png":        "text.png is no picture of the type image/png",
		"huge.svg":        "name a smaller picture",
		"folder.svg":      "folder.svg: is no regular file",
		"absent.svg":      "no such file",
	} {
		if got, err := readIcon(root, file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %q in the error", file, got.content, err, want)
		}
	}
}
