package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Assets are the executables of a control plane: etcd and kube-apiserver, and if found
// kube-controller-manager and kubectl. The ones that Build returns are complete, and links to one
// binary. envtest accepts their directory as KUBEBUILDER_ASSETS.
type Assets struct {
	Dir     string `json:"dir"`     // absolute
	Version string `json:"version"` // of Kubernetes, such as v1.36.3
}

// binaryName is the one executable that Build makes. The others are links to it.
const binaryName = "kubernetes"

// The programs of a control plane.
const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	kubectl           = "kubectl"
)

// The programs that an instance with a node has beside them.
const (
	scheduler      = "kube-scheduler"
	kubeletProgram = "kubelet"
	kubeProxy      = "kube-proxy"
	containerd     = "containerd"
	containerdShim = "containerd-shim-runc-v2"
	ctr            = "ctr"
	supervisor     = "supervisor"
	registry       = "registry"
	coreDNS        = "coredns"
)

// pauseArchive is the image that holds the namespaces of each Pod.
const pauseArchive = "pause.tar"

func controlPlanePrograms() []string { return []string{etcd, apiServer, controllerManager, kubectl} }

// nodePrograms are those of a control plane with a node.
func nodePrograms() []string {
	return append(controlPlanePrograms(), scheduler, kubeletProgram, kubeProxy, containerd, containerdShim, ctr, supervisor, registry, coreDNS)
}

// OpenAssets returns the executables that exist in a directory, such as one that setup-envtest has filled. It returns
// an error if there is no such directory, or no etcd or kube-apiserver in it that can be run.
func OpenAssets(ctx context.Context, dir string) (Assets, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Assets{}, err
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Assets{}, errors.New("there is no such directory")
	case err != nil:
		return Assets{}, err
	case !info.IsDir():
		return Assets{}, errors.New("this is not a directory")
	}
	a := Assets{Dir: dir}
	if missing := a.missingOf(etcd, apiServer); len(missing) > 0 {
		return Assets{}, fmt.Errorf("there is no executable %s in this directory", strings.Join(missing, " and no "))
	}
	if err := a.checkWritable(); err != nil {
		return Assets{}, err
	}
	a.Version, err = askVersion(ctx, a.pathOf(apiServer))
	return a, err
}

// checkWritable returns an error if every user may write to the directory, or to a program in it: another one would say what
// runs here.
func (a Assets) checkWritable() error {
	if runtime.GOOS == "windows" { // it has no such permissions
		return nil
	}
	for _, name := range append(nodePrograms(), "") {
		path := a.pathOf(name)
		info, err := os.Stat(path) // of what a link leads to
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode()&0o002 != 0 {
			return fmt.Errorf("every user may write to %s: make sure that it is as you made it, and run chmod -R o-w %s", path, a.Dir)
		}
	}
	return nil
}

// askVersion runs kube-apiserver for its version.
func askVersion(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	output, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w", filepath.Base(path), err)
	}
	version, found := strings.CutPrefix(strings.TrimSpace(string(output)), "Kubernetes ")
	if !found {
		return "", fmt.Errorf("%s does not say which version of Kubernetes it is: it prints %q", filepath.Base(path), output)
	}
	return version, nil
}

// Missing returns the names of the optional programs that the directory lacks.
func (a Assets) Missing() []string { return a.missingOf(controllerManager, kubectl) }

// Kubectl returns the path of the directory's kubectl, and whether it is there.
func (a Assets) Kubectl() (string, bool) { return a.pathOf(kubectl), a.has(kubectl) }

func (a Assets) pathOf(name string) string { return filepath.Join(a.Dir, name) }

// has reports whether a program exists and is executable.
func (a Assets) has(name string) bool {
	info, err := os.Stat(a.pathOf(name))
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// missingOf returns those of the programs that do not exist.
func (a Assets) missingOf(names ...string) []string {
	var missing []string
	for _, name := range names {
		if !a.has(name) {
			missing = append(missing, name)
		}
	}
	return missing
}

// MissingOfNode returns what a control plane with a node needs and the directory lacks.
func (a Assets) MissingOfNode() []string {
	missing := a.missingOf(nodePrograms()...)
	if _, err := os.Stat(a.pathOf(pauseArchive)); err != nil {
		missing = append(missing, pauseArchive)
	}
	return missing
}
