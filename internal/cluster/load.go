package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/cluster/imagearchive"
)

// ErrNoNode is what LoadImages returns, wrapped, for an instance without a node.
var ErrNoNode = errors.New("has no node")

// LoadImages imports the images of an archive into the node, and returns their names. The archive is an OCI image
// layout or an output of docker save. Pods use the images by these names, without a registry.
func (i *Instance) LoadImages(ctx context.Context, archive io.ReadSeeker) ([]string, error) {
	if i.Node == nil {
		return nil, fmt.Errorf("cluster %q %w", i.Name, ErrNoNode)
	}
	names, err := imagearchive.Names(archive)
	if err != nil {
		return nil, err
	}
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("cluster %q runs as root: load images as root, or push them to its registry %s", i.Name, i.Node.Registry)
	}
	return names, i.importImages(ctx, archive)
}

// importImages runs containerd's client outside of the node's namespaces: a socket with a path belongs to a mount
// namespace, which the supervisor's root directory leads into.
func (i *Instance) importImages(ctx context.Context, archive io.Reader) error {
	socket := filepath.Join("/proc", strconv.Itoa(i.Processes[0].PID), "root", containerdSocket)
	path := (Assets{Dir: i.Assets}).pathOf(ctr)
	cmd := exec.CommandContext(ctx, path, "--namespace=k8s.io", "--address="+socket, "images", "import", "-")
	cmd.Stdin = archive
	var problem bytes.Buffer
	cmd.Stderr = &problem
	err := cmd.Run()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err == nil {
		return nil
	}
	if strings.Contains(problem.String(), noSpaceLeft) {
		return i.noSpaceError()
	}
	return fmt.Errorf("import the archive: %s", strings.TrimSpace(strings.TrimPrefix(problem.String(), "ctr: ")))
}
