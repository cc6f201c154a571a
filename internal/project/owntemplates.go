package project

import (
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
)

// ownTemplates are the templates of a project that its author has written.
type ownTemplates struct {
	Module  string   `json:"module"` // of the project
	Folders []string `json:"folders"`
	Digest  string   `json:"digest"`
}

// isSame reports whether the templates have not changed.
func (o ownTemplates) isSame(dir string, tool scaffold.Tool) bool {
	if len(o.Folders) == 0 {
		return true
	}
	digest, err := scaffold.DigestTemplates(dir, scaffold.Input{Project: &spec.Project{Module: o.Module, Templates: o.Folders}, Tool: tool})
	return err == nil && digest == o.Digest
}
