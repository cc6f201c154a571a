package modulecache

import (
	"os"
	"path/filepath"
	"strings"
)

// Folder returns the folder of the module cache, as "go env GOMODCACHE" prints it. It does not run
// the go command for it, because starting a process takes longer than all else here.
func Folder() string {
	if cache := readSetting("GOMODCACHE"); cache != "" {
		return cache
	}
	workspace := readSetting("GOPATH")
	if workspace == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		workspace = filepath.Join(home, "go")
	}
	if lists := filepath.SplitList(workspace); len(lists) > 0 {
		workspace = lists[0]
	}
	return filepath.Join(workspace, "pkg", "mod")
}

// EnvironmentFile returns the path of the file that "go env -w" writes, and "" if there is none.
func EnvironmentFile() string {
	if file := os.Getenv("GOENV"); file != "" {
		return file
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(config, "go", "env")
}

// readSetting returns a variable of the go command from the environment, or else from the file that
// "go env -w" writes.
func readSetting(name string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	data, err := os.ReadFile(EnvironmentFile()) // the path is "off" if there is to be no such file, and reading it fails
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
