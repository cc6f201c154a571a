package cluster

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// sources are the files of the modules that recipes build. module/ is the one of the newest release, and in directories
// what older ones have in place of its files.
//
//go:embed module containerdmodule nodemodule
var sources embed.FS

// compileFlags leave out debugging information, which the linker would strip anyway. This saves 7%
// of the compile time and 20% of the output.
const compileFlags = "all=-dwarf=false"

// trimmedModule is built without trimmedFile, a helper for tests that is not in a test file.
// Nothing else links the 58 packages of client-go's fake clients, which take 6% of the build time.
const (
	trimmedModule = "k8s.io/apiserver"
	trimmedFile   = "pkg/admission/plugin/policy/generic/policy_test_context.go"
)

// sourceFile is one file of the modules that a recipe builds.
type sourceFile struct {
	name string // with the module's directory, separated by slashes
	data []byte
}

// sourceFiles returns the files of the recipe's modules, sorted by name within each.
func (r recipe) sourceFiles() ([]sourceFile, error) {
	var files []sourceFile
	for _, m := range r.modules {
		err := fs.WalkDir(sources, m.dir, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if entry.IsDir() {
				if isOlder, _ := path.Match(m.dir+"/v1.*", name); isOlder {
					return fs.SkipDir
				}
				return nil
			}
			data, err := r.readSource(m, name)
			files = append(files, sourceFile{strings.TrimSuffix(name, ".tmpl"), data})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// readSource returns the content of a file, or what an older release has in its place.
func (r recipe) readSource(m module, name string) ([]byte, error) {
	older := path.Join(m.dir, "v"+r.release.Minor(), strings.TrimPrefix(name, m.dir+"/"))
	data, err := sources.ReadFile(older)
	if errors.Is(err, fs.ErrNotExist) {
		return sources.ReadFile(name)
	}
	return data, err
}

// buildKey identifies a build. Equal keys mean the same sources, builder and platform. The builder is a version of Go,
// or byRelease.
func (r recipe) buildKey(files []sourceFile, builder string) string {
	hash := sha256.New()
	fmt.Fprintln(hash, builder, r.platform.OS, r.platform.Arch, trimmedModule, trimmedFile)
	for _, m := range r.modules {
		fmt.Fprintln(hash, m.flags(), m.packages)
	}
	for _, file := range files {
		fmt.Fprintf(hash, "%s %d\n", file.name, len(file.data))
		hash.Write(file.data)
	}
	return string(r.release) + "-" + r.name + hex.EncodeToString(hash.Sum(nil))[:16]
}

func writeSources(files []sourceFile, dir string) error {
	for _, file := range files {
		name := filepath.Join(dir, filepath.FromSlash(file.name))
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(path.Dir(file.name))), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, file.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
