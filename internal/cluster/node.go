package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/internal/cluster/cgroups"
)

// NodeRecord is what an instance with a node has besides.
type NodeRecord struct {
	Registry string `json:"registry"` // host:port, on the host as inside of the node
	Cgroup   string `json:"cgroup"`   // its name at the root of each hierarchy
}

// The addresses of a node. They exist in its own network namespace alone.
const (
	nodeName    = "node"
	nodeAddress = "10.97.0.1"
	podRange    = "10.244.0.0/24"
	dnsAddress  = "10.0.0.10"
)

// newNodeRecord names the cgroup after the instance and its directory, since two users may use one name.
func newNodeRecord(name, dir string, p ports) *NodeRecord {
	hash := sha256.Sum256([]byte(dir))
	return &NodeRecord{
		Registry: loopbackAddress(p.registry),
		Cgroup:   "opgen-" + name + "-" + hex.EncodeToString(hash[:])[:8],
	}
}

// readyFile is written by the supervisor when every program runs.
const readyFile = "node-ready"

// holdNode starts the supervisor as the first process of its own namespaces, held until it is on record and in its
// cgroup. Its listeners are made here, so that they belong to the host's network namespace.
func (i *Instance) holdNode(assets Assets, p ports) ([]*heldProcess, error) {
	requirements, err := findRequirements()
	if err != nil {
		return nil, err
	}
	if err := i.writeNodeFiles(assets, requirements, p); err != nil {
		return nil, err
	}
	listeners, err := openListeners(p.apiServer, p.registry)
	if err != nil {
		return nil, err
	}
	defer closeAll(listeners)
	process, err := startHeld(supervisor, assets.pathOf(supervisor), []string{i.filePath(supervisorFile)}, i.Log(supervisor), inNamespaces(listeners))
	if err != nil {
		return nil, fmt.Errorf("start processes in namespaces of their own: %w", err)
	}
	i.Processes = []Process{process.Process}
	if err := errors.Join(i.save(), i.enterCgroup(process.PID)); err != nil {
		process.abandon()
		return nil, err
	}
	return []*heldProcess{process}, nil
}

func (i *Instance) enterCgroup(pid int) error {
	cgroup, err := cgroups.Find(i.Node.Cgroup)
	if err != nil {
		return err
	}
	if err := cgroup.Create(); err != nil {
		return err
	}
	return cgroup.Join(pid)
}

// removeCgroup removes the cgroup of an instance with a node, once its processes have ended.
func (i *Instance) removeCgroup() error {
	if i.Node == nil {
		return nil
	}
	cgroup, err := cgroups.Find(i.Node.Cgroup)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // not Linux
	}
	if err != nil {
		return err
	}
	return cgroup.Remove()
}

func openListeners(ports ...int) ([]*os.File, error) {
	var files []*os.File
	for _, port := range ports {
		file, err := openListener(port)
		if err != nil {
			closeAll(files)
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func openListener(port int) (*os.File, error) {
	listener, err := net.Listen("tcp4", loopbackAddress(port))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPortTaken, err)
	}
	defer listener.Close()
	return listener.(*net.TCPListener).File()
}

func closeAll(files []*os.File) {
	for _, file := range files {
		file.Close()
	}
}

// nodeIsReady reports whether every program has started, the node takes Pods, and the node's objects exist.
func (i *Instance) nodeIsReady(ctx context.Context, client *http.Client) bool {
	if _, err := os.Stat(i.filePath(readyFile)); err != nil {
		return false
	}
	for _, object := range nodeObjects() {
		if !answersOK(ctx, client, i.Server+object.path()) {
			return false
		}
	}
	return i.hasReadyNode(ctx, client)
}

func (i *Instance) hasReadyNode(ctx context.Context, client *http.Client) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, i.Server+"/api/v1/nodes/"+nodeName, nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	var node corev1.Node
	if json.NewDecoder(response.Body).Decode(&node) != nil {
		return false
	}
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue && len(node.Spec.Taints) == 0
		}
	}
	return false
}
