package clientgen

import (
	"go/build"
	"io"
	"path"
	"strings"
)

// portableFileName returns the path of a Go file that every platform compiles. code-generator names
// files after kinds, and Go compiles fake_windows.go on Windows only and fake_test.go in tests
// only.
func portableFileName(file string) string {
	if name := path.Base(file); strings.HasSuffix(name, "_test.go") || isPlatformSpecific(name) {
		return strings.TrimSuffix(file, ".go") + "_kind.go"
	}
	return file
}

// isPlatformSpecific reports whether Go excludes a file by its name. It asks for a platform that
// does not exist, which every platform suffix excludes.
func isPlatformSpecific(name string) bool {
	nowhere := build.Context{
		GOOS: "none", GOARCH: "none", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil },
	}
	read, err := nowhere.MatchFile("", name)
	return err == nil && !read
}
