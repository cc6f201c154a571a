package cluster

import (
	"os"

	clientcmd "k8s.io/client-go/tools/clientcmd/api/v1"

	"github.com/opgen-dev/opgen/internal/yamltext"
)

// writeKubeconfig writes a kubeconfig that needs no other file, for the user with the given credentials.
func (i *Instance) writeKubeconfig(file, credentials string) error {
	ca, err := os.ReadFile(i.filePath(authorityName + ".crt"))
	if err != nil {
		return err
	}
	certificate, err := os.ReadFile(i.filePath(credentials + ".crt"))
	if err != nil {
		return err
	}
	key, err := os.ReadFile(i.filePath(credentials + ".key"))
	if err != nil {
		return err
	}
	name := "opgen-" + i.Name
	data, err := yamltext.Marshal(clientcmd.Config{
		APIVersion:     "v1",
		Kind:           "Config",
		Clusters:       []clientcmd.NamedCluster{{Name: name, Cluster: clientcmd.Cluster{Server: i.Server, CertificateAuthorityData: ca}}},
		AuthInfos:      []clientcmd.NamedAuthInfo{{Name: name, AuthInfo: clientcmd.AuthInfo{ClientCertificateData: certificate, ClientKeyData: key}}},
		Contexts:       []clientcmd.NamedContext{{Name: name, Context: clientcmd.Context{Cluster: name, AuthInfo: name}}},
		CurrentContext: name,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(i.filePath(file), data, 0o600)
}
