package project

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/modulecache"
)

// goSettings returns a digest of everything else that affects how the go command loads packages:
// the environment, the file of "go env -w", the workspace, and Go's version.
func goSettings(dir string) string {
	all := sha256.New()
	add := func(texts ...string) {
		for _, text := range texts {
			all.Write([]byte(text + "\x00"))
		}
	}
	for _, setting := range slices.Sorted(slices.Values(os.Environ())) {
		if strings.HasPrefix(setting, "GO") || strings.HasPrefix(setting, "CGO") {
			add(setting)
		}
	}
	files := []string{modulecache.EnvironmentFile(), filepath.Join(goRoot(), "VERSION")}
	if above := moduleFolder(filepath.Dir(dir)); above != "" {
		files = append(files, filepath.Join(above, "go.mod"), filepath.Join(above, "go.sum"))
	}
	for _, work := range []string{workFile(dir), os.Getenv("GOWORK")} {
		files = append(files, work, work+".sum")
	}
	for _, file := range files {
		content, _ := os.ReadFile(file) // a file that cannot be read counts as empty
		add(file, string(content))
	}
	return hex.EncodeToString(all.Sum(nil))
}

// goRoot returns the folder of the Go installation in PATH, and "" if there is none.
func goRoot() string {
	found, err := exec.LookPath("go")
	if err != nil {
		return ""
	}
	if found, err = filepath.EvalSymlinks(found); err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(found))
}
