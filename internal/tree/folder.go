package tree

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// CheckFolder returns an error unless a folder of a tree is one that opgen may empty: neither it is a symbolic link, nor
// does one lead out of the tree on the way to it. It need not exist.
func CheckFolder(tree fs.FS, folder string) error {
	if err := findObstacle(tree, path.Join(folder, "file")); err != nil {
		return err
	}
	if _, err := fs.ReadLink(tree, folder); err == nil {
		return obstacleError(folder, "is a symbolic link, and opgen empties the folder", "remove the link")
	}
	return nil
}

// EmptyFolder makes a folder in dir, and removes what is in it. The folder itself stays, since it may be locked. It returns
// an error if CheckFolder does, and removes nothing.
func EmptyFolder(dir, folder string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := CheckFolder(root.FS(), folder); err != nil {
		return err
	}
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	entries, err := fs.ReadDir(root.FS(), folder)
	for _, entry := range entries {
		err = errors.Join(err, root.RemoveAll(path.Join(folder, entry.Name())))
	}
	return err
}

// RemoveFolder removes a folder in dir with all that is in it, and a symbolic link alone.
func RemoveFolder(dir, folder string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(folder)
}

// ReadFile reads a file in dir. Symbolic links may lead to it, unless they lead out of dir.
func ReadFile(dir, file string) ([]byte, error) {
	if leadsOut(os.DirFS(dir), file) {
		return nil, obstacleError(file, "leads out of the folder of the project through a symbolic link", "put a copy of the file in its place")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(file)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, obstacleError(file, "is no regular file", "name a file")
	}
	return root.ReadFile(file)
}
