package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// The files that configure the node's programs.
const (
	supervisorFile = "supervisor.json"
	containerdFile = "containerd.toml"
	kubeletFile    = "kubelet.yaml"
	proxyFile      = "kube-proxy.yaml"
	corefile       = "Corefile"
	networkFile    = "cni/10-opgen.conflist"
)

// writeNodeFiles writes what only the programs of a node read.
func (i *Instance) writeNodeFiles(assets Assets, r requirements, p ports) error {
	for _, dir := range []string{"root", "var/lib", "var/log", "var/tmp", "tmp", "registry", "cni"} {
		if err := os.MkdirAll(i.filePath(dir), 0o755); err != nil {
			return err
		}
	}
	config, err := json.MarshalIndent(i.supervisorConfig(assets, p), "", "  ")
	if err != nil {
		return err
	}
	files := map[string]string{
		supervisorFile: string(config),
		containerdFile: i.containerdConfig(r),
		kubeletFile:    i.kubeletConfig(),
		proxyFile:      i.proxyConfig(),
		corefile:       i.corefile(),
		networkFile:    networkConfig,
	}
	errs := []error{os.Chmod(i.filePath("tmp"), 0o777|os.ModeSticky), os.Chmod(i.filePath("var/tmp"), 0o777|os.ModeSticky)}
	for name, content := range files {
		errs = append(errs, os.WriteFile(i.filePath(name), []byte(content), 0o600))
	}
	for _, name := range nodeUsers() {
		errs = append(errs, i.writeKubeconfig(name+".kubeconfig", name))
	}
	return errors.Join(errs...)
}

// containerdConfig leaves AppArmor alone, whose profiles are the host's, and NRI and tracing, which nobody uses here.
// It does not lower the OOM score of a container below its own, which needs a capability that root may lack.
func (i *Instance) containerdConfig(r requirements) string {
	return fmt.Sprintf(`version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.nri.v1.nri", "io.containerd.internal.v1.opt", "io.containerd.tracing.processor.v1.otlp", "io.containerd.internal.v1.tracing"]

[grpc]
  address = %[1]q

[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = %[2]q

[plugins."io.containerd.cri.v1.images".registry]
  config_path = %[3]q

[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
  disable_apparmor = true

[plugins."io.containerd.cri.v1.runtime".cni]
  bin_dirs = [%[4]q]
  conf_dir = %[5]q
  use_internal_loopback = true

[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
    BinaryName = %[6]q
    SystemdCgroup = false
`, containerdSocket, pauseImage, i.filePath("registries"), r.plugins, filepath.Dir(i.filePath(networkFile)), r.runc)
}

// networkConfig connects each Pod by a pair of interfaces and a route. A bridge would need the kernel module
// br_netfilter for Services whose Pods talk to each other.
const networkConfig = `{
  "cniVersion": "1.0.0",
  "name": "opgen",
  "plugins": [
    {"type": "ptp", "ipMasq": false, "ipam": {"type": "host-local", "dataDir": "/run/cni", "ranges": [[{"subnet": "` + podRange + `"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
    {"type": "portmap", "capabilities": {"portMappings": true}}
  ]
}
`

// kubeletConfig has cgroups without a level for each QoS class, which cgroup v1 machines without systemd lack. Images
// are never removed and Pods are not evicted for a full disk, because the disk is that of the whole machine.
func (i *Instance) kubeletConfig() string {
	return fmt.Sprintf(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: %[1]s
authentication:
  anonymous: {enabled: false}
  webhook: {enabled: true}
  x509: {clientCAFile: %[2]q}
authorization: {mode: Webhook}
tlsCertFile: %[3]q
tlsPrivateKeyFile: %[4]q
containerRuntimeEndpoint: unix://%[5]s
volumePluginDir: /var/lib/kubelet/volume-plugins
clusterDNS: [%[6]s]
clusterDomain: cluster.local
resolvConf: ""
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: []
failCgroupV1: false
failSwapOn: false
localStorageCapacityIsolation: false
enableControllerAttachDetach: false
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
evictionHard: {memory.available: 10Mi}
`, nodeAddress, i.filePath("ca.crt"), i.filePath(kubeletProgram+".crt"), i.filePath(kubeletProgram+".key"), containerdSocket, dnsAddress)
}

// proxyConfig leaves the limits of connection tracking alone, which are the host's.
func (i *Instance) proxyConfig() string {
	return fmt.Sprintf(`apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
hostnameOverride: %s
clientConnection: {kubeconfig: %q}
clusterCIDR: %s
mode: iptables
healthzBindAddress: 127.0.0.1:10256
metricsBindAddress: 127.0.0.1:10249
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
`, nodeName, i.filePath(kubeProxy+".kubeconfig"), podRange)
}

// corefile answers names of the cluster. Any other name does not exist, since nothing outside can be reached. These are
// two servers because CoreDNS asks the plugin template first, wherever it stands.
func (i *Instance) corefile() string {
	return fmt.Sprintf(`cluster.local:53 in-addr.arpa:53 ip6.arpa:53 {
    bind %[1]s
    errors
    kubernetes cluster.local in-addr.arpa ip6.arpa {
        kubeconfig %[2]s
        pods insecure
        ttl 5
    }
    loadbalance
}
.:53 {
    bind %[1]s
    errors
    template ANY ANY {
        rcode NXDOMAIN
    }
}
`, nodeAddress, i.filePath(coreDNS+".kubeconfig"))
}
