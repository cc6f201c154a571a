package podlogger

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// replica runs an operator that takes part in the election of a leader. The function that it
// returns stops the operator, and waits until it has ended.
func replica(t *testing.T, cluster *operatortest.Cluster, logged *lines) (stop func()) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("OPGEN_TEST_KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	options := operator.Defaults()
	options.Namespaces, options.Logger = []string{cluster.Namespace}, logged.logger()
	options.LeaderElect, options.LeaderElectNamespace = true, cluster.Namespace
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := operator.Run(ctx, config, options, controllers(noWork)); err != nil {
			t.Error(err)
		}
	}()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

// One of two replicas works, and the other one takes over: Kooper's leader-election-controller.
func TestTheLeaderAloneLogs(t *testing.T) {
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{ // whose own operator has no controller
		Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil },
	})
	cluster.Create(newPod("one"))
	var first, second lines
	stopFirst := replica(t, cluster, &first)
	logs(cluster, &first, "name=one")
	replica(t, cluster, &second)
	logs(cluster, &second, "waits for the lease")

	cluster.Create(newPod("two"))
	logs(cluster, &first, "name=two")
	stopFirst()
	if second.has("saw a Pod") {
		t.Error("the replica that waited has worked")
	}
	logs(cluster, &second, "name=two")
}

// Metrics count reconciles by their result, as in Kooper's metrics-controller.
func TestMetricsCountReconciles(t *testing.T) {
	var fails atomic.Bool
	address := freeAddress(t)
	cluster := start(t, func(context.Context, client.Object) error {
		if fails.Load() {
			return errors.New("no luck")
		}
		return nil
	}, func(o *operator.Options) { o.MetricsAddress, o.MetricsSecure = address, false })
	pod := newPod("web")
	cluster.Create(pod)
	serves(t, cluster, address, `opgen_reconcile_total{controller="podlogger",result="success"} `)
	fails.Store(true)
	cluster.Reconcile(pod)
	serves(t, cluster, address, `opgen_reconcile_total{controller="podlogger",result="SyncFailed"} `)
	serves(t, cluster, address, `workqueue_depth{controller="podlogger-Pod",`)
	fails.Store(false)
	cluster.Reconciled(pod)
	cluster.Converged(pod)
}

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// serves waits until the metrics have a line that begins like this.
func serves(t *testing.T, cluster *operatortest.Cluster, address, line string) {
	t.Helper()
	cluster.Eventually("metrics have a line "+line, func() error {
		response, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		page, err := io.ReadAll(response.Body)
		if err != nil {
			return err
		}
		if !strings.Contains(string(page), "\n"+line) {
			return fmt.Errorf("%d bytes have none", len(page))
		}
		return nil
	})
}
