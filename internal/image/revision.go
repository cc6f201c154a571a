package image

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/mod/module"

	"github.com/opgen-dev/opgen/internal/above"
)

// revisionOf returns the commit that is checked out in a folder. It returns "" if there is none, or if a file of the
// repository differs from it, and what git says if git refuses to answer, as it does in a repository of another user: the
// configuration of a repository names programs, which git status runs.
func revisionOf(ctx context.Context, dir string) (revision, refused string) {
	shared, err := above.Shared(dir)
	if err != nil {
		return "", err.Error()
	}
	status, err := runGit(ctx, dir, shared, "status", "--porcelain")
	if refused := (*exec.ExitError)(nil); errors.As(err, &refused) && !bytes.Contains(refused.Stderr, []byte("not a git repository")) {
		said, _, _ := strings.Cut(strings.TrimSpace(string(refused.Stderr)), "\n")
		return "", "git: " + strings.TrimPrefix(said, "fatal: ")
	}
	if err != nil || status != "" {
		return "", ""
	}
	revision, err = runGit(ctx, dir, shared, "rev-parse", "HEAD")
	if err != nil {
		return "", ""
	}
	return revision, ""
}

// runGit runs git in a folder without writing to the repository. git looks for none in a shared folder above, nor above
// that.
func runGit(ctx context.Context, dir, shared string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
	ceilings := os.Getenv("GIT_CEILING_DIRECTORIES") + string(os.PathListSeparator) + shared
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_CEILING_DIRECTORIES="+ceilings, "LC_ALL=C")
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
