package process

import (
	"crypto/tls"
	"errors"
	"net"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

func TestExplainErrorNamesTheConnectionThatFails(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := taken.Addr().String()
	_, listening := net.Listen("tcp", address)
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", "/nowhere/config")
	_, dialing := net.Dial("tcp", address)

	for _, test := range []struct {
		name   string
		err    error
		expect string
	}{
		{"an address of its own is taken", listening, "--health-probe-bind-address"},
		{"another API server is there", &tls.CertificateVerificationError{Err: errors.New("x509")}, "is not the one that this KUBECONFIG was made for"},
		{"the file is not there", clientcmd.ErrEmptyConfig, "no cluster is configured in /nowhere/config, which KUBECONFIG names"},
		{"nobody listens at the API server's", dialing, "cannot reach the API server at https://" + address},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := explainError(test.err, "https://"+address); got == nil || !strings.Contains(got.Error(), test.expect) {
				t.Errorf("got %v, expected it to name %s", got, test.expect)
			}
		})
	}
}
