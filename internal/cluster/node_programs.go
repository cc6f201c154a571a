package cluster

import "fmt"

// The node's sockets and addresses, inside its namespaces.
const (
	containerdSocket = "/run/containerd/containerd.sock"
	containerdNeed   = "unix:" + containerdSocket
	dnsNeed          = "tcp:" + nodeAddress + ":53"
	proxyNeed        = "tcp:127.0.0.1:10256"
)

// supervisorConfig is the config of the supervisor; nodemodule/supervisor/main.go.tmpl describes it.
type supervisorConfig struct {
	Hostname, Root         string
	Directories            map[string]string
	Assets, Instance, Path string
	NodeAddress            string
	ServiceRange           string
	Forward                []string
	Programs               []supervisedProgram
	Needs                  []string
	Ready                  string
}

type supervisedProgram struct {
	Name, Path string
	Args       []string
	Log        string
	Needs      []string
	Once       bool
}

// nodeProgramNames are those whose memory and pids status shows.
func nodeProgramNames() []string {
	return []string{etcd, apiServer, controllerManager, scheduler, containerd, kubeletProgram, kubeProxy, coreDNS, registry}
}

// nodePrograms returns the programs of the node in the order of their start. containerd needs a second or two before
// it listens, so that it starts beside etcd and the API server.
func (i *Instance) nodePrograms(assets Assets, p ports) []supervisedProgram {
	server := "tcp:" + loopbackAddress(p.apiServer)
	list := []supervisedProgram{
		{Name: containerd, Args: []string{"--config=" + i.filePath(containerdFile)}},
		supervise(i.etcdProgram(p)),
		supervise(i.apiServerProgram(p, i.nodeAPIServerFlags()...)),
		supervise(i.controllerManagerProgram()),
		{Name: registry, Args: []string{i.Node.Registry, i.filePath("registry")}},
		{Name: ctr, Once: true, Needs: []string{containerdNeed}, Args: []string{"--namespace=k8s.io", "--address=" + containerdSocket, "images", "import", assets.pathOf(pauseArchive)}},
		{Name: kubeletProgram, Needs: []string{server}, Args: []string{
			"--config=" + i.filePath(kubeletFile), "--kubeconfig=" + i.filePath(kubeletProgram+".kubeconfig"), "--root-dir=/var/lib/kubelet",
			"--hostname-override=" + nodeName, "--node-ip=" + nodeAddress}},
		{Name: scheduler, Args: []string{"--kubeconfig=" + i.filePath(scheduler+".kubeconfig"), "--leader-elect=false", "--secure-port=0"}},
		{Name: kubeProxy, Args: []string{"--config=" + i.filePath(proxyFile)}},
		{Name: coreDNS, Args: []string{"-conf", i.filePath(corefile)}},
	}
	for n := range list {
		list[n].Path = assets.pathOf(list[n].Name)
		list[n].Log = i.Log(list[n].Name)
	}
	return list
}

func supervise(p program) supervisedProgram { return supervisedProgram{Name: p.name, Args: p.args} }

// nodeAPIServerFlags make the API server reachable for Pods, let it reach kubelet, and limit kubelet to its own node.
func (i *Instance) nodeAPIServerFlags() []string {
	return []string{
		"--bind-address=0.0.0.0", "--advertise-address=" + nodeAddress,
		"--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction",
		"--kubelet-preferred-address-types=InternalIP", "--kubelet-certificate-authority=" + i.filePath("ca.crt"),
		"--kubelet-client-certificate=" + i.filePath("admin.crt"), "--kubelet-client-key=" + i.filePath("admin.key"),
	}
}

func (i *Instance) supervisorConfig(assets Assets, p ports) supervisorConfig {
	return supervisorConfig{
		Hostname:     nodeName,
		Root:         i.filePath("root"),
		Directories:  map[string]string{"/var": i.filePath("var"), "/tmp": i.filePath("tmp")},
		Assets:       assets.Dir,
		Instance:     i.Dir,
		Path:         fmt.Sprintf("%s:%s", assets.Dir, systemPath),
		NodeAddress:  nodeAddress + "/32",
		ServiceRange: serviceRange,
		Forward:      []string{loopbackAddress(p.apiServer), i.Node.Registry},
		Programs:     i.nodePrograms(assets, p),
		Needs:        []string{dnsNeed, proxyNeed, "tcp:" + i.Node.Registry},
		Ready:        i.filePath(readyFile),
	}
}

// nodeUsers are the programs of a node that talk to the API server.
func nodeUsers() []string { return []string{kubeletProgram, scheduler, kubeProxy, coreDNS} }
