package cluster

import (
	"fmt"
	"net"
	"os"
	"strings"
)

// ports are where the programs of an instance listen, all on loopback.
type ports struct{ etcd, etcdPeer, apiServer, registry int }

// freePorts finds ports that nobody listens on. Another program may take one before ours do;
// startOnFreePorts tries other ports then.
func freePorts() (ports, error) {
	var found [4]int
	for n := range found {
		// All listeners are open at once, so that the ports differ.
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return ports{}, fmt.Errorf("no free port on 127.0.0.1: end some programs that listen or are connected there: %w", err)
		}
		defer listener.Close()
		found[n] = listener.Addr().(*net.TCPAddr).Port
	}
	return ports{found[0], found[1], found[2], found[3]}, nil
}

func loopbackAddress(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// program is the command line of one program of an instance.
type program struct {
	name, address string
	args          []string
}

// withoutAccounts lets the API server accept Pods without a ServiceAccount. Without controllers
// nothing creates the default ServiceAccount that admission otherwise requires.
const withoutAccounts = "--disable-admission-plugins=ServiceAccount"

// programs returns the programs of the instance in the order of their start. The flags are those of
// upstream's programs.
func (i *Instance) programs(p ports, controllers bool) []program {
	flags := withoutNodeFlags()
	if !controllers {
		return []program{i.etcdProgram(p), i.apiServerProgram(p, append(flags, withoutAccounts)...)}
	}
	return []program{i.etcdProgram(p), i.apiServerProgram(p, flags...), i.controllerManagerProgram()}
}

func (i *Instance) etcdProgram(p ports) program {
	client, peer := "https://"+loopbackAddress(p.etcd), "https://"+loopbackAddress(p.etcdPeer)
	return program{etcd, loopbackAddress(p.etcd), []string{
		"--name=default", "--data-dir=" + i.filePath("etcd"), "--unsafe-no-fsync", "--log-level=warn",
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=default=" + peer,
		"--client-cert-auth", "--trusted-ca-file=" + i.filePath("ca.crt"),
		"--cert-file=" + i.filePath("server.crt"), "--key-file=" + i.filePath("server.key"),
		"--peer-client-cert-auth", "--peer-trusted-ca-file=" + i.filePath("ca.crt"),
		"--peer-cert-file=" + i.filePath("server.crt"), "--peer-key-file=" + i.filePath("server.key"),
	}}
}

func (i *Instance) apiServerProgram(p ports, more ...string) program {
	return program{apiServer, loopbackAddress(p.apiServer), append([]string{
		"--etcd-servers=https://" + loopbackAddress(p.etcd), "--etcd-cafile=" + i.filePath("ca.crt"),
		"--etcd-certfile=" + i.filePath("server.crt"), "--etcd-keyfile=" + i.filePath("server.key"),
		fmt.Sprintf("--secure-port=%d", p.apiServer),
		"--tls-cert-file=" + i.filePath("server.crt"), "--tls-private-key-file=" + i.filePath("server.key"),
		"--client-ca-file=" + i.filePath("ca.crt"), "--cert-dir=" + i.Dir,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=" + i.filePath("sa.key"), "--service-account-key-file=" + i.filePath("sa.pub"),
		"--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
		"--service-cluster-ip-range=" + serviceRange, "--allow-privileged",
		"--audit-policy-file=" + i.filePath("audit-policy.yaml"), "--audit-log-path=" + i.AuditLog(),
		"--audit-log-maxsize=100", "--audit-log-maxbackup=2",
	}, more...)}
}

// withoutNodeFlags are those of an API server that runs on loopback alone.
func withoutNodeFlags() []string {
	return []string{
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--authorization-mode=RBAC",
		"--endpoint-reconciler-type=none", // otherwise it would publish a loopback address, which validation refuses
	}
}

// controllerManagerProgram runs without a port and without leader election. It names a directory
// for volume plugins, since upstream's program creates one outside of the instance by default.
func (i *Instance) controllerManagerProgram() program {
	return program{controllerManager, "", []string{
		"--kubeconfig=" + i.filePath("manager.kubeconfig"), "--root-ca-file=" + i.filePath("ca.crt"),
		"--service-account-private-key-file=" + i.filePath("sa.key"),
		"--leader-elect=false", "--secure-port=0", "--flex-volume-plugin-dir=" + i.filePath("volume-plugins"),
	}}
}

// auditPolicy records who did what to which resource with which outcome, once per request.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: None
  nonResourceURLs: ["*"]
- level: Metadata
`

// prepareFolder writes the files that the programs read. Where there is no space left, it says what to do.
func (i *Instance) prepareFolder() error {
	for _, write := range []func() error{
		func() error { return writeCredentials(i.Dir) },
		func() error { return i.writeKubeconfig("kubeconfig", adminName) },
		func() error { return i.writeKubeconfig("manager.kubeconfig", managerName) },
		func() error { return os.WriteFile(i.filePath("audit-policy.yaml"), []byte(auditPolicy), 0o600) },
	} {
		err := write()
		if err != nil && strings.Contains(err.Error(), noSpaceLeft) {
			return i.noSpaceError()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// noSpaceLeft is in the errors of a full disk.
const noSpaceLeft = "no space left on device"

// noSpaceError says that the disk of the instance's folder is full, and what to do.
func (i *Instance) noSpaceError() error {
	return fmt.Errorf("no space left in %s: free some, or set OPGEN_STATE to a directory on another disk", i.Dir)
}
