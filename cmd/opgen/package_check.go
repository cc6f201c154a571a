package main

import (
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// checkPackages returns the files of packages that are not what the command would write with the flags in opgen.lock. A
// package without any file on disk, as where git ignores dist/, is not checked.
func checkPackages(root string, p *spec.Project) ([]project.Finding, error) {
	files := os.DirFS(root)
	lock, err := tree.ReadLock(files)
	if err != nil {
		return nil, err
	}
	var findings []project.Finding
	for _, form := range slices.Sorted(maps.Keys(lock.Packages)) {
		packaged := lock.Packages[form]
		if !slices.ContainsFunc(slices.Collect(maps.Keys(packaged.Files)), func(file string) bool { _, err := fs.Stat(files, file); return err == nil }) {
			continue
		}
		changes, err := packageChanges(root, p, form, packaged)
		if err != nil {
			return nil, project.InputErrorf("%w", err)
		}
		for _, c := range changes.Conflicts() {
			findings = append(findings, project.Finding{Path: c.Path, Message: c.Reason})
		}
		for _, c := range changes.Pending() {
			if c.Path != tree.LockPath {
				findings = append(findings, project.Finding{Path: c.Path, Message: "out of date: run opgen package " + form + " again"})
			}
		}
	}
	return findings, nil
}
