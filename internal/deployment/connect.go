package deployment

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/dynamic"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // what a kubeconfig may name, as for kubectl
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// ErrNoCluster is the error that no kubeconfig names a cluster.
var ErrNoCluster = errors.New("no kubeconfig names a cluster")

// requestTimeout bounds one request. kubectl has no bound, and waits forever for an API server that
// takes connections and does not answer.
const requestTimeout = time.Minute

// Cluster is a cluster that opgen talks to with the rights of its user.
type Cluster struct {
	Server string // the address of the API server

	objects   dynamic.Interface
	requests  *rest.RESTClient
	resources resources
	silent    []string          // group versions of which the API server cannot say what they have
	warn      func(text string) // takes what the API server and opgen warn of
}

// Connect connects to the cluster that kubectl would talk to: that of a kubeconfig, or where the
// path is empty that of $KUBECONFIG or ~/.kube/config, in one of its contexts, or where the name is
// empty in the current one. It asks which kinds the API server serves. What the API server warns of
// goes to warn.
//
// The error is ErrNoCluster if no kubeconfig names a cluster.
func Connect(ctx context.Context, kubeconfig, kubeContext string, warn func(text string)) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: kubeContext}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides).ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, ErrNoCluster
	}
	if err != nil {
		return nil, err
	}
	config.QPS = -1 // a few dozen requests, one after the other
	config.Timeout = requestTimeout
	config.WarningHandler = warnings(warn)
	config.NegotiatedSerializer = serializer.NewCodecFactory(runtime.NewScheme()).WithoutConversion()
	c := &Cluster{Server: config.Host, warn: warn}
	if c.objects, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	if c.requests, err = rest.UnversionedRESTClientFor(config); err != nil {
		return nil, err
	}
	if err := c.readResources(ctx); err != nil {
		return nil, fmt.Errorf("the API server %s: %w", c.Server, err)
	}
	return c, nil
}

// warnings hands each different warning of the API server on, once.
func warnings(warn func(text string)) rest.WarningHandler {
	return rest.NewWarningWriter(lines(warn), rest.WarningWriterOptions{Deduplicate: true})
}

// lines is a writer that hands lines on.
type lines func(text string)

func (l lines) Write(data []byte) (int, error) {
	l(strings.TrimPrefix(strings.TrimSuffix(string(data), "\n"), "Warning: "))
	return len(data), nil
}
