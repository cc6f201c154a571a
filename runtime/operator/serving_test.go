package operator_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestSecureMetricsAreForThoseWhoMayReadThem(t *testing.T) {
	t.Parallel()
	address := freeAddress(t)
	a := &author{sync: desire(desireOne)}
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		Options:     func(o *operator.Options) { o.MetricsAddress, o.MetricsSecure = address, true },
	})
	cluster.Create(site("web"))
	cluster.Exists(configMap("web", ""))
	reader, stranger := tokenOf(cluster, t, "reader"), tokenOf(cluster, t, "stranger")
	meta := metav1.ObjectMeta{Name: cluster.Namespace + "-metrics"}
	cluster.Create(
		&rbacv1.ClusterRole{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}}},
		&rbacv1.ClusterRoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: meta.Name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: cluster.Namespace, Name: "reader"}},
		},
	)
	cluster.Eventually("metrics are served to the reader", func() error {
		status, page, err := scrape("https://"+address+"/metrics", reader)
		if err == nil && (status != http.StatusOK || !strings.Contains(page, "opgen_reconcile_total{")) {
			err = fmt.Errorf("%d: %.200s", status, page)
		}
		return err
	})
	for name, refused := range map[string]struct {
		token  string
		status int
	}{
		"nobody":                        {"", http.StatusUnauthorized},
		"an account without that right": {stranger, http.StatusForbidden},
	} {
		if status, page, err := scrape("https://"+address+"/metrics", refused.token); err != nil || status != refused.status || strings.Contains(page, "opgen_") {
			t.Errorf("%s is answered %d, %v: %.200s", name, status, err, page)
		}
	}
	if status, page, err := scrape("http://"+address+"/metrics", reader); err == nil && status == http.StatusOK {
		t.Errorf("they are served in the clear, too: %.200s", page)
	}
}

// tokenOf makes a ServiceAccount and a token of its own.
func tokenOf(cluster *operatortest.Cluster, t *testing.T, name string) string {
	t.Helper()
	account := named(&corev1.ServiceAccount{}, name)
	cluster.Create(account)
	request := new(authenticationv1.TokenRequest)
	if err := cluster.Client.SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

func scrape(url, token string) (status int, page string, err error) {
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return 0, "", err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	insecure := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // the certificate is made by itself
	defer insecure.CloseIdleConnections()
	response, err := insecure.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, string(body), err
}

func TestSetupAddsToTheManager(t *testing.T) {
	t.Parallel()
	var options operator.Options
	ran, order := make(chan struct{}), make(chan string, 100)
	operator.Setup(func(mgr operator.Manager) error {
		order <- "setup"
		return mgr.Add(runnable(func() { close(ran) }))
	})(&options)
	operatortest.Start(t, operatortest.Config{
		Controllers: func(operator.Manager) ([]operator.Controller, error) {
			order <- "controllers"
			return nil, nil
		},
		Options: func(o *operator.Options) { o.Setup = options.Setup },
	})
	select {
	case <-ran:
	case <-time.After(30 * time.Second):
		t.Fatal("what it added does not run")
	}
	if first, second := <-order, <-order; first != "setup" || second != "controllers" {
		t.Errorf("order is %s, %s", first, second)
	}
}

// runnable is what an author may add to the manager.
type runnable func()

func (r runnable) Start(context.Context) error {
	r()
	return nil
}

func TestSetupMayFail(t *testing.T) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("OPGEN_TEST_KUBECONFIG"))
	if err != nil || os.Getenv("OPGEN_TEST_KUBECONFIG") == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	broken := errors.New("no webhook")
	options := operator.Defaults()
	options.Setup = func(operator.Manager) error { return broken }
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	if err := operator.Run(ctx, config, options, func(operator.Manager) ([]operator.Controller, error) { return nil, nil }); !errors.Is(err, broken) {
		t.Errorf("error is %v, want %v", err, broken)
	}
}
