package main

import (
	"github.com/spf13/cobra"

	"github.com/opgen-dev/opgen/internal/deployment"
)

// remoteFlag is the flag of commands that can render a kustomization which names URLs or repositories.
type remoteFlag struct{ allow bool }

// onlyLocal is what the help of such a command says about it.
const onlyLocal = `A kustomization that names a URL or a repository is an error, unless --allow-remote lets kustomize fetch URLs and clone
repositories with git. It needs the flag each time: it has no default in the environment or the config file.`

func (f *remoteFlag) addFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.allow, "allow-remote", false, "let the kustomization load URLs and repositories")
}

// render renders the kustomization in a folder.
func (f *remoteFlag) render(dir string, image deployment.Image) ([]*deployment.Object, error) {
	if f.allow {
		return deployment.RenderRemote(dir, image)
	}
	return deployment.Render(dir, image)
}
