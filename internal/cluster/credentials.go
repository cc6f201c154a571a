package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// The credentials of an instance. Each is a pair of files NAME.crt and NAME.key, signed by an
// authority that only this instance has.
const (
	authorityName  = "ca"
	serverName     = "server"  // what etcd and the API server show
	adminName      = "admin"   // the kubeconfig's user
	managerName    = "manager" // the controller manager's user
	serviceAccount = "sa"      // signs tokens; has a public key in the place of a certificate
	adminsGroup    = "system:masters"
	serviceRange   = "10.0.0.0/16"
)

// authority signs the certificates of one instance.
type authority struct {
	dir         string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// writeCredentials creates the keys and certificates with which the programs of an instance
// authenticate each other.
func writeCredentials(dir string) error {
	ca, err := newAuthority(dir)
	if err != nil {
		return err
	}
	for name, template := range credentials() {
		if err := ca.issueCredentials(name, template); err != nil {
			return err
		}
	}
	return writeTokenKeys(dir)
}

// credentials are the certificates of an instance. Those of a node's programs have upstream's names of users, which
// RBAC grants what the programs need; CoreDNS has none.
func credentials() map[string]*x509.Certificate {
	addresses := []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 1), net.ParseIP(nodeAddress)}
	hosts := []string{"localhost", nodeName, "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}
	user := func(name string, groups ...string) pkix.Name {
		return pkix.Name{CommonName: name, Organization: groups}
	}
	return map[string]*x509.Certificate{
		serverName:     {Subject: user("opgen"), IPAddresses: addresses, DNSNames: hosts},
		adminName:      {Subject: user(adminName, adminsGroup)},
		managerName:    {Subject: user("system:"+controllerManager, adminsGroup)},
		kubeletProgram: {Subject: user("system:node:"+nodeName, "system:nodes"), IPAddresses: addresses, DNSNames: hosts},
		scheduler:      {Subject: user("system:" + scheduler)},
		kubeProxy:      {Subject: user("system:" + kubeProxy)},
		coreDNS:        {Subject: user("system:"+coreDNS, adminsGroup)},
	}
}

func newAuthority(dir string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	ca := &authority{dir: dir, key: key, certificate: &x509.Certificate{
		Subject:               pkix.Name{CommonName: "opgen cluster"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}}
	return ca, ca.signCertificate(authorityName, ca.certificate, key)
}

// issueCredentials writes a key and a certificate that serves as a server's and as a client's.
func (ca *authority) issueCredentials(name string, template *x509.Certificate) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	return ca.signCertificate(name, template, key)
}

func (ca *authority) signCertificate(name string, template *x509.Certificate, key *ecdsa.PrivateKey) error {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	template.SerialNumber = serial
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = template.NotBefore.AddDate(10, 0, 0)
	der, err := x509.CreateCertificate(rand.Reader, template, ca.certificate, &key.PublicKey, ca.key)
	if err != nil {
		return err
	}
	if err := writePEM(filepath.Join(ca.dir, name+".crt"), "CERTIFICATE", der); err != nil {
		return err
	}
	return writeKey(filepath.Join(ca.dir, name+".key"), key)
}

// writeTokenKeys writes the key pair that signs and verifies ServiceAccount tokens.
func writeTokenKeys(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return err
	}
	if err := writePEM(filepath.Join(dir, serviceAccount+".pub"), "PUBLIC KEY", public); err != nil {
		return err
	}
	return writeKey(filepath.Join(dir, serviceAccount+".key"), key)
}

func writeKey(path string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(path, "EC PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
