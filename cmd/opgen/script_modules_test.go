package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// publish is "publish MODULE VERSION FOLDER": it puts a module into $WORK/proxy, which
// GOPROXY=file://$WORK/proxy reads.
func publish(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: publish MODULE VERSION FOLDER")
	}
	m, folder := module.Version{Path: args[0], Version: args[1]}, ts.MkAbs(args[2])
	versions := filepath.Join(ts.Getenv("WORK"), "proxy", filepath.FromSlash(m.Path), "@v")
	ts.Check(os.MkdirAll(versions, 0o755))
	archive, err := os.Create(filepath.Join(versions, m.Version+".zip"))
	ts.Check(err)
	ts.Check(zip.CreateFromDir(archive, m, folder))
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
