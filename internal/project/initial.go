package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"

	"github.com/opgen-dev/opgen/internal/tree"
)

// InitialFiles returns files of the author as the opgen that the project in dir generates with first writes them, by their
// paths.
// It has that opgen generate in a copy of the project without these files. A file is left out if that opgen makes none,
// or if another file of the author replaces it.
func InitialFiles(ctx context.Context, dir string, files []string) (map[string][]byte, error) {
	temp, err := os.MkdirTemp("", "opgen")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	opgen, err := buildOwn(ctx, dir, temp)
	if err != nil {
		return nil, err
	}
	copied := filepath.Join(temp, "project")
	// The lock may be that of a newer opgen, after an upgrade that was stopped.
	if err := copyProject(dir, copied, append([]string{tree.LockPath}, files...)); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, opgen, "generate", "--quiet", "--no-cache", "--force")
	cmd.Dir, cmd.Env = copied, append(os.Environ(), "GOWORK=off", "PWD="+copied)
	if output, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("opgen generate: %s", lastLines(string(output), 1))
	}
	made := map[string][]byte{}
	for _, file := range files {
		content, err := os.ReadFile(filepath.Join(copied, filepath.FromSlash(file)))
		if err == nil {
			made[file] = content
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return made, nil
}

// copyProject copies the files of a project but for some, and for what is built, downloaded or kept by git.
func copyProject(from, to string, without []string) error {
	root := os.DirFS(from)
	return fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "bin", "dist", "vendor", "node_modules"}, name):
			return fs.SkipDir
		case !entry.Type().IsRegular() || slices.Contains(without, name):
			return nil
		}
		content, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(to, filepath.FromSlash(path.Dir(name))), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, filepath.FromSlash(name)), content, 0o644)
	})
}
