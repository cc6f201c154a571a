package cluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"time"
)

// newClient returns an HTTP client with the rights of the instance's administrator.
func (i *Instance) newClient() (*http.Client, error) {
	ca, err := os.ReadFile(i.filePath("ca.crt"))
	if err != nil {
		return nil, err
	}
	certificate, err := tls.LoadX509KeyPair(i.filePath("admin.crt"), i.filePath("admin.key"))
	if err != nil {
		return nil, err
	}
	authorities := x509.NewCertPool()
	authorities.AppendCertsFromPEM(ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities, Certificates: []tls.Certificate{certificate}}}
	return &http.Client{Transport: transport, Timeout: 5 * time.Second}, nil
}

// isReady reports whether every process runs and the API server answers.
func (i *Instance) isReady(ctx context.Context) bool {
	if !i.Running() {
		return false
	}
	client, err := i.newClient()
	if err != nil {
		return false
	}
	defer client.CloseIdleConnections()
	return i.answersRequests(ctx, client)
}

// answersRequests reports whether the API server is ready and the default namespace exists. With
// controllers it also waits for the default ServiceAccount, without which Pods are refused, and with a node for that.
func (i *Instance) answersRequests(ctx context.Context, client *http.Client) bool {
	made := "/api/v1/namespaces/default"
	if i.HasControllers() {
		made += "/serviceaccounts/default"
	}
	return answersOK(ctx, client, i.Server+"/readyz") && answersOK(ctx, client, i.Server+made) &&
		(i.Node == nil || i.nodeIsReady(ctx, client))
}

func answersOK(ctx context.Context, client *http.Client, url string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode == http.StatusOK
}
