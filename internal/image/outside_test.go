package image

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What lies behind a symbolic link stays as it is, wherever the link leads: bin/ is in no commit, but an archive can have it.
func TestLinksInBinAreRefused(t *testing.T) {
	for name, test := range map[string]struct{ link, to, want string }{
		"the folder itself": {"bin/.image", "ABSOLUTE", "bin/.image: is a symbolic link"},
		"relative":          {"bin/.image", "../../outside", "bin/.image: is a symbolic link"},
		"in the project":    {"bin/.image", "../docs", "bin/.image: is a symbolic link"},
		"bin":               {"bin", "ABSOLUTE", "bin: is a symbolic link that leads out"},
		"bin, relative":     {"bin", "../outside", "bin: is a symbolic link that leads out"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := newProject(t)
			outside := filepath.Join(filepath.Dir(dir), "outside")
			for _, folder := range []string{outside, filepath.Join(dir, "docs")} {
				writeFile(t, filepath.Join(folder, "thesis.txt"), "mine")
				writeFile(t, filepath.Join(folder, ".image", "photo.jpg"), "mine")
			}
			link := filepath.Join(dir, test.link)
			if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(strings.Replace(test.to, "ABSOLUTE", outside, 1), link); err != nil {
				t.Skip(err)
			}
			writeFile(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() { undefined() }\n")
			plan, err := NewPlan(t.Context(), request(t, dir))
			if err == nil {
				_, err = plan.Build(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is: %v\nwant %q in it", err, test.want)
			}
			for _, folder := range []string{outside, filepath.Join(dir, "docs")} {
				if diff := cmp.Diff([]string{".image", "thesis.txt"}, namesIn(t, folder)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", folder, diff)
				} else if diff := cmp.Diff([]string{"photo.jpg"}, namesIn(t, filepath.Join(folder, ".image"))); diff != "" {
					t.Errorf("%s/.image (-want +got):\n%s", folder, diff)
				}
			}
		})
	}
}
