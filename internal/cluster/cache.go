package cluster

import (
	"fmt"
	"os"
	"path/filepath"
)

// Cache is the directory that keeps built binaries, shared by every instance of a user. It may be deleted at any
// time; instances that run keep running.
type Cache struct {
	Dir string
}

// DefaultCache is $OPGEN_CACHE or, when that is not set, the user's cache directory with "opgen" appended.
func DefaultCache() (Cache, error) {
	if dir := os.Getenv("OPGEN_CACHE"); dir != "" {
		return absoluteCache(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return Cache{}, fmt.Errorf("find a cache directory (set OPGEN_CACHE to choose one): %w", err)
	}
	return absoluteCache(filepath.Join(dir, "opgen"))
}

func absoluteCache(dir string) (Cache, error) {
	dir, err := filepath.Abs(dir)
	return Cache{Dir: dir}, err
}

func (c Cache) builds() string { return filepath.Join(c.Dir, "kubernetes") }

func (c Cache) assets(key string) Assets {
	return Assets{Dir: filepath.Join(c.builds(), key, "bin"), Version: Version}
}

func (c Cache) lockFile(key string) string { return filepath.Join(c.builds(), key+".lock") }

// Assets are the executables of a control plane: etcd, kube-apiserver, kube-controller-manager and kubectl, all
// links to one binary. Their directory is a KUBEBUILDER_ASSETS that envtest accepts.
type Assets struct {
	Dir     string `json:"dir"`     // absolute
	Version string `json:"version"` // of Kubernetes, such as v1.36.3
}

// binaryName is the one executable in Assets.Dir that is no link.
const binaryName = "kubernetes"

// The programs that the binary becomes when it is called by their name.
const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	kubectl           = "kubectl"
)

func (a Assets) program(name string) string { return filepath.Join(a.Dir, name) }

// complete reports whether the assets are there. A directory under its final name is always complete, since it
// got that name last; programs that someone has deleted since are noticed here.
func (a Assets) complete() bool {
	for _, name := range []string{etcd, apiServer, controllerManager, kubectl} {
		if info, err := os.Stat(a.program(name)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}
