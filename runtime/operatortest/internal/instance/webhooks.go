package instance

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// Webhooks is where the operator of a test serves its webhooks. Its processes, one after the other,
// have the port and the certificate in common.
type Webhooks struct {
	URL       string // without a path
	Authority []byte // of the certificate, in PEM

	port   int
	folder string // of the certificate
}

// prepareWebhooks chooses a port on loopback and makes a certificate for it.
func (o *Operator) prepareWebhooks() {
	o.T.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		o.T.Fatal(err)
	}
	o.Webhooks.port, o.Webhooks.folder = listener.Addr().(*net.TCPAddr).Port, o.T.TempDir()
	o.Webhooks.URL = "https://127.0.0.1:" + strconv.Itoa(o.Webhooks.port)
	if err := listener.Close(); err != nil {
		o.T.Fatal(err)
	}
	if o.Webhooks.Authority, err = writeCertificate(o.Webhooks.folder); err != nil {
		o.T.Fatalf("make a certificate for webhooks: %v", err)
	}
}

// writeCertificate writes a certificate for loopback, and its key, and returns the certificate.
func writeCertificate(folder string) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	if err := os.WriteFile(filepath.Join(folder, "tls.key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600); err != nil {
		return nil, err
	}
	return public, os.WriteFile(filepath.Join(folder, "tls.crt"), public, 0o600)
}

// setWebhooks sets where a process serves webhooks: nowhere, unless the test asks for it. Tests run
// beside each other on one machine.
func (o *Operator) setWebhooks(options *operator.Options) {
	options.WebhookPort, options.WebhookCertPath = o.Webhooks.port, o.Webhooks.folder
}

// AwaitWebhooks waits until the operator serves webhooks.
func (o *Operator) AwaitWebhooks() {
	o.T.Helper()
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(o.Webhooks.Authority)
	o.Eventually("the operator serves webhooks, which Options has to register", func() error {
		connection, err := tls.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", o.Webhooks.port), &tls.Config{RootCAs: trusted})
		if err != nil {
			return err
		}
		return connection.Close()
	})
}
