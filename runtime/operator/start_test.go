package operator_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// lines collects a log.
type lines struct {
	sync.Mutex
	bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(p)
}

func (l *lines) count(part string) int {
	l.Lock()
	defer l.Unlock()
	return strings.Count(l.String(), part)
}

func TestWithoutRightsTheOperatorSaysSoAndStillStops(t *testing.T) {
	path := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if path == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	start(t, &author{sync: desire(func(*Desired) {})}) // installs the CRDs
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	config.Impersonate.UserName = "nobody-in-particular"
	config.Impersonate.Groups = []string{"system:authenticated"} // may look kinds up, and nothing else
	var log lines
	options := operator.Defaults()
	options.HealthAddress = freeAddress(t)
	options.Logger = slog.New(slog.NewTextHandler(&log, nil))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	a := &author{sync: desire(func(*Desired) {})}
	go func() { ended <- operator.Run(ctx, config, options, a.controllers) }()

	const message = "make deploy applies the generated role"
	for deadline := time.Now().Add(30 * time.Second); log.count(message) == 0; time.Sleep(50 * time.Millisecond) {
		select {
		case err := <-ended:
			t.Fatalf("ended: %v\n%s", err, log.String())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing is said of the missing right:\n%s", log.String())
		}
	}
	response, err := http.Get("http://" + options.HealthAddress + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusInternalServerError {
		t.Errorf("a probe is answered %s, although no cache is filled", response.Status)
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("did not stop within 30 s")
	}
}

func TestReadyOnceTheCachesAreFilled(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	a := &author{sync: desire(func(*Desired) {})}
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Options:     func(o *operator.Options) { o.HealthAddress = address },
	})
	for _, path := range []string{"/healthz", "/readyz", "/readyz/controller-site"} {
		cluster.Eventually(path+" says yes", func() error {
			return missing("http://"+address+path, "ok")
		})
	}
}
