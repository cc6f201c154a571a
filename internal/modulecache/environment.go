package modulecache

import (
	"go/build"
	"os"
	"path/filepath"
	"strings"
)

// cacheFolder returns the folder of the module cache: what go env GOMODCACHE prints, which takes a
// process to ask.
func cacheFolder() string {
	if cache := setting("GOMODCACHE"); cache != "" {
		return cache
	}
	workspace := setting("GOPATH")
	if workspace == "" {
		workspace = build.Default.GOPATH
	}
	if lists := filepath.SplitList(workspace); len(lists) > 0 {
		workspace = lists[0]
	}
	return filepath.Join(workspace, "pkg", "mod")
}

// setting returns a variable of the go command from the environment, or from the file that
// go env -w writes.
func setting(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	file := os.Getenv("GOENV")
	if file == "" {
		config, err := os.UserConfigDir()
		if err != nil {
			return ""
		}
		file = filepath.Join(config, "go", "env")
	}
	data, err := os.ReadFile(file) // which does not exist where it is off
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if value, found := strings.CutPrefix(line, name+"="); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
