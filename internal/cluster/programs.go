package cluster

import (
	"errors"
	"fmt"
	"net"
	"os"
)

// ports are where the programs of an instance listen, all on loopback.
type ports struct{ etcd, etcdPeer, apiServer int }

// freePorts finds ports that nobody listens on. Somebody may take one before the programs do; Up tries again then.
func freePorts() (ports, error) {
	var found [3]int
	for n := range found {
		// All are open at once, so that they differ.
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return ports{}, fmt.Errorf("no free port on 127.0.0.1: end some programs that listen or are connected there: %w", err)
		}
		defer listener.Close()
		found[n] = listener.Addr().(*net.TCPAddr).Port
	}
	return ports{found[0], found[1], found[2]}, nil
}

func local(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// program is how one program of an instance is started.
type program struct {
	name, address string
	args          []string
}

// programs says how the control plane of an instance is started.
func (i *Instance) programs(p ports) []program {
	file := i.file
	client, peer := "https://"+local(p.etcd), "https://"+local(p.etcdPeer)
	return []program{
		{etcd, local(p.etcd), []string{
			"--name=default", "--data-dir=" + file("etcd"), "--unsafe-no-fsync", "--log-level=warn",
			"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
			"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=default=" + peer,
			"--client-cert-auth", "--trusted-ca-file=" + file("ca.crt"),
			"--cert-file=" + file("server.crt"), "--key-file=" + file("server.key"),
			"--peer-client-cert-auth", "--peer-trusted-ca-file=" + file("ca.crt"),
			"--peer-cert-file=" + file("server.crt"), "--peer-key-file=" + file("server.key"),
		}},
		{apiServer, local(p.apiServer), []string{
			"--etcd-servers=" + client, "--etcd-cafile=" + file("ca.crt"),
			"--etcd-certfile=" + file("server.crt"), "--etcd-keyfile=" + file("server.key"),
			"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", p.apiServer),
			"--tls-cert-file=" + file("server.crt"), "--tls-private-key-file=" + file("server.key"),
			"--client-ca-file=" + file("ca.crt"), "--cert-dir=" + i.Dir,
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-signing-key-file=" + file("sa.key"), "--service-account-key-file=" + file("sa.pub"),
			"--authorization-mode=RBAC", "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
			"--service-cluster-ip-range=" + serviceRange, "--allow-privileged",
			"--endpoint-reconciler-type=none", // it would publish a loopback address, which validation refuses
			"--audit-policy-file=" + file("audit-policy.yaml"), "--audit-log-path=" + i.AuditLog(),
			"--audit-log-maxsize=100", "--audit-log-maxbackup=2",
		}},
		{controllerManager, "", []string{
			"--kubeconfig=" + file("manager.kubeconfig"), "--root-ca-file=" + file("ca.crt"),
			"--service-account-private-key-file=" + file("sa.key"),
		}},
	}
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

// prepare writes the files that the programs read.
func (i *Instance) prepare() error {
	return errors.Join(
		writeCredentials(i.Dir),
		i.writeKubeconfig("kubeconfig", adminName),
		i.writeKubeconfig("manager.kubeconfig", managerName),
		os.WriteFile(i.file("audit-policy.yaml"), []byte(auditPolicy), 0o600),
	)
}
