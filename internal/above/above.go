// Package above walks the folders above one, where programs look for configuration. It stops at a folder that all users of
// the machine share, such as /tmp: what is there is not the user's.
package above

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"
)

// Folders yields a folder and those above it, the innermost first. It ends before a shared folder, unless the first folder
// is one.
func Folders(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := dir; ; at = filepath.Dir(at) {
			if at != dir && isShared(at) || !yield(at) || at == filepath.Dir(at) {
				return
			}
		}
	}
}

// Shared returns the innermost shared folder above a folder, and "" if there is none. It follows symbolic links, as the
// working directory of a program does.
func Shared(dir string) (string, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	top := dir
	for at := range Folders(dir) {
		top = at
	}
	if shared := filepath.Dir(top); shared != top {
		return shared, nil
	}
	return "", nil
}

// isShared reports whether every user may create files in a folder, and none may remove those of others. Such folders have
// the sticky bit, which Windows does not have.
func isShared(dir string) bool {
	const shared = fs.ModeDir | fs.ModeSticky | 0o002
	info, err := os.Stat(dir)
	return err == nil && info.Mode()&shared == shared
}
