package clientgen

import (
	"go/build"
	"io"
	"path"
	"strings"
)

// portableFileName returns the path of a Go file as Go reads it on every platform: code-generator
// puts kinds into the names of files, and fake_windows.go is for Windows alone, fake_test.go for
// tests.
func portableFileName(file string) string {
	if name := path.Base(file); strings.HasSuffix(name, "_test.go") || forOnePlatform(name) {
		return strings.TrimSuffix(file, ".go") + "_kind.go"
	}
	return file
}

// forOnePlatform reports whether Go leaves a file of this name out on a platform that does not
// exist.
func forOnePlatform(name string) bool {
	nowhere := build.Context{
		GOOS: "none", GOARCH: "none", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil },
	}
	read, err := nowhere.MatchFile("", name)
	return err == nil && !read
}
