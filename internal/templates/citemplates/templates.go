// Package citemplates has templates for continuous integration, in the language of authors' own templates (package
// usertemplates). opgen init --ci copies a folder of them into a new project, whose author owns them from then on.
package citemplates

import (
	"embed"
	"io/fs"
	"slices"
)

//go:embed all:github all:gitlab
var files embed.FS

// Names returns the systems that there are templates for, sorted.
func Names() []string { return []string{"github", "gitlab"} }

// Folder returns the templates for a system, and false if there are none.
func Folder(name string) (fs.FS, bool) {
	if !slices.Contains(Names(), name) {
		return nil, false
	}
	folder, err := fs.Sub(files, name)
	return folder, err == nil
}
