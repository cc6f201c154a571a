package operator_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

type (
	heeded struct {
		Named    operator.Snapshot[*metav1.PartialObjectMetadata]
		Selected operator.Snapshot[*metav1.PartialObjectMetadata]
	}
	heedingRequest  = operator.Request[*corev1.Secret, struct{}, heeded]
	heedingResponse = operator.Response[struct{}, struct{}]
)

// heeding is a controller of Secrets, which labels them with what it reads of
// ConfigMaps.
func heeding(operator.Manager) ([]operator.Controller, error) {
	return []operator.Controller{operator.NewController(operator.Definition[*corev1.Secret, struct{}, struct{}, struct{}, heeded]{
		Name: "heeding", Group: "heeding.test.opgen.dev", Parents: []operator.ParentKind{{Object: &corev1.Secret{}, Labels: "heeds"}},
		Related: func(related *heeded) []operator.RelatedKind {
			return []operator.RelatedKind{
				{Object: &corev1.ConfigMap{}, Name: "settings", Metadata: true, Fields: operator.BindRelated(&related.Named)},
				{Object: &corev1.ConfigMap{}, Selector: "heed", Metadata: true, Fields: operator.BindRelated(&related.Selected)},
			}
		},
		ParentMetadata: true,
		Sync: func(_ context.Context, req *heedingRequest) (*heedingResponse, error) {
			var seen []string
			for object := range req.Related.Named.All() {
				seen = append(seen, object.Name)
			}
			for object := range req.Related.Selected.All() {
				seen = append(seen, object.Name+"-"+object.Labels["heed"])
			}
			return &heedingResponse{Labels: map[string]string{"seen": strings.Join(seen, ".")}}, nil
		},
	})}, nil
}

// formats notes in which formats a client asks for a resource.
type formats struct {
	next     http.RoundTripper
	resource string

	mu       *sync.Mutex
	accepted *[]string
}

func (f formats) RoundTrip(request *http.Request) (*http.Response, error) {
	if strings.HasSuffix(request.URL.Path, "/"+f.resource) {
		f.mu.Lock()
		*f.accepted = append(*f.accepted, request.Header.Get("Accept"))
		f.mu.Unlock()
	}
	return f.next.RoundTrip(request)
}

func TestRelatedObjectsOfWhichOnlyMetadataIsCached(t *testing.T) {
	t.Parallel()
	cluster := operatortest.Start(t, operatortest.Config{Controllers: func(operator.Manager) ([]operator.Controller, error) { return nil, nil }})
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("OPGEN_TEST_KUBECONFIG"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var accepted []string
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return formats{next, "configmaps", &mu, &accepted} })
	options := operator.Defaults()
	options.Namespaces = []string{cluster.Namespace}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- operator.Run(ctx, config, options, heeding) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the operator ended with: %v", err)
		}
	})

	secret, settings, selected := named(&corev1.Secret{}, "web"), configMap("settings", "large"), configMap("labelled", "large")
	secret.Labels = map[string]string{"heeds": ""}
	selected.Labels = map[string]string{"heed": "one"}
	sees := func(expected string) {
		t.Helper()
		cluster.Eventually("the Secret has read "+expected, func() error {
			if cluster.Get(secret); secret.Labels["seen"] != expected {
				return errors.New("it has read " + secret.Labels["seen"])
			}
			return nil
		})
	}
	cluster.Create(settings, selected, secret)
	sees("settings.labelled-one")
	cluster.Update(selected, func() { selected.Labels["heed"] = "two" })
	sees("settings.labelled-two")
	cluster.Delete(settings)
	sees("labelled-two")

	mu.Lock()
	defer mu.Unlock()
	whole := slices.DeleteFunc(slices.Clone(accepted), func(format string) bool { return strings.Contains(format, "as=PartialObjectMetadata") })
	if len(accepted) == 0 || len(whole) > 0 {
		t.Errorf("of %d lists and watches these asked for whole objects: %q", len(accepted), whole)
	}
}
