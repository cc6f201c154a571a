package cluster

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Version is the Kubernetes version of the control plane. module/go.mod.tmpl pins the modules that belong to it.
const Version = "v1.36.3"

//go:embed module/*.tmpl
var sources embed.FS

// linkFlags strip the binary and stamp it with the version that it reports.
func linkFlags() string {
	minor := strings.Split(Version, ".")[1]
	const stamp = "k8s.io/component-base/version."
	return fmt.Sprintf("-s -w -X %[1]sgitVersion=%[2]s -X %[1]sgitMajor=1 -X %[1]sgitMinor=%[3]s -X %[1]sgitTreeState=clean",
		stamp, Version, minor)
}

// compileFlags leave out debugging information, which the linker would strip anyway. This saves 7%
// of the compile time and 20% of the output.
const compileFlags = "all=-dwarf=false"

// trimmedModule is built without trimmedFile, a helper for tests that is not in a test file.
// Nothing else links the 58 packages of client-go's fake clients, which take 6% of the build time.
const (
	trimmedModule = "k8s.io/apiserver"
	trimmedFile   = "pkg/admission/plugin/policy/generic/policy_test_context.go"
)

// sourceFile is one file of the binary's main module.
type sourceFile struct {
	name string
	data []byte
}

// sourceFiles returns the main module of the binary, sorted by name.
func sourceFiles() ([]sourceFile, error) {
	entries, err := sources.ReadDir("module")
	if err != nil {
		return nil, err
	}
	var files []sourceFile
	for _, entry := range entries {
		data, err := sources.ReadFile("module/" + entry.Name())
		if err != nil {
			return nil, err
		}
		files = append(files, sourceFile{strings.TrimSuffix(entry.Name(), ".tmpl"), data})
	}
	return files, nil
}

// buildKey identifies a build. Equal keys mean the same sources, compiler and platform.
func buildKey(files []sourceFile, goVersion string) string {
	hash := sha256.New()
	fmt.Fprintln(hash, goVersion, runtime.GOOS, runtime.GOARCH, linkFlags(), compileFlags, trimmedModule, trimmedFile)
	for _, file := range files {
		fmt.Fprintf(hash, "%s %d\n", file.name, len(file.data))
		hash.Write(file.data)
	}
	return Version + "-" + hex.EncodeToString(hash.Sum(nil))[:16]
}

func writeSources(files []sourceFile, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(dir, file.name), file.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
