package image

import (
	"context"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/mod/module"
)

// revisionOf returns the commit that is checked out in a folder, and "" if there is none, or if a file
// of the repository differs from it.
func revisionOf(ctx context.Context, dir string) string {
	status, err := runGit(ctx, dir, "status", "--porcelain")
	if err != nil || status != "" {
		return ""
	}
	revision, err := runGit(ctx, dir, "rev-parse", "HEAD")
	if err != nil {
		return ""
	}
	return revision
}

// runGit runs git without writing to the repository, which may be of another user.
func runGit(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "safe.directory=*", "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// sourceOf returns where the source of a Go module is, and "" if its path does not say so. The remote of
// a clone would differ between people who clone in other ways, and so would the image.
func sourceOf(modulePath string) string {
	repository, _, _ := module.SplitPathVersion(modulePath)
	words := strings.Split(repository, "/")
	switch words[0] {
	case "github.com", "bitbucket.org", "codeberg.org":
		if len(words) >= 3 {
			return "https://" + strings.Join(words[:3], "/")
		}
	case "gitlab.com": // a group may be in another: of more words, the last ones may be folders
		if len(words) == 3 {
			return "https://" + repository
		}
	}
	return ""
}
