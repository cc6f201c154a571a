package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// publish is "publish MODULE VERSION FOLDER": it puts a module into $WORK/proxy, which
// GOPROXY=file://$WORK/proxy reads. Of a git repository, it takes the files that git does not ignore.
func publish(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: publish MODULE VERSION FOLDER")
	}
	m, folder := module.Version{Path: args[0], Version: args[1]}, ts.MkAbs(args[2])
	versions := filepath.Join(ts.Getenv("WORK"), "proxy", filepath.FromSlash(m.Path), "@v")
	ts.Check(os.MkdirAll(versions, 0o755))
	archive, err := os.Create(filepath.Join(versions, m.Version+".zip"))
	ts.Check(err)
	if _, err := os.Stat(filepath.Join(folder, ".git")); err == nil {
		ts.Check(zip.Create(archive, m, repositoryFiles(ts, folder)))
	} else {
		ts.Check(zip.CreateFromDir(archive, m, folder))
	}
	ts.Check(archive.Close())
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(versions, m.Version+".mod"), mod, 0o644))
	ts.Check(os.WriteFile(filepath.Join(versions, m.Version+".info"), fmt.Appendf(nil, `{"Version": %q}`, m.Version), 0o644))
	list, err := os.OpenFile(filepath.Join(versions, "list"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	ts.Check(err)
	_, err = fmt.Fprintln(list, m.Version)
	ts.Check(err)
	ts.Check(list.Close())
}

// repositoryFile is a file of a git repository, by its path from the root.
type repositoryFile struct{ root, path string }

func (f repositoryFile) Path() string                 { return f.path }
func (f repositoryFile) Lstat() (os.FileInfo, error)  { return os.Lstat(f.name()) }
func (f repositoryFile) Open() (io.ReadCloser, error) { return os.Open(f.name()) }
func (f repositoryFile) name() string                 { return filepath.Join(f.root, filepath.FromSlash(f.path)) }

// repositoryFiles returns the files that are committed, or could be.
func repositoryFiles(ts *testscript.TestScript, root string) (files []zip.File) {
	list := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	output, err := list.Output()
	ts.Check(err)
	for path := range strings.SplitSeq(strings.Trim(string(output), "\x00"), "\x00") {
		file := repositoryFile{root, path}
		if info, err := file.Lstat(); err == nil && info.Mode().IsRegular() {
			files = append(files, file)
		}
	}
	return files
}
