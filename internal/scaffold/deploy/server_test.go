package deploy

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// server is a real API server, and what it has warned of.
type server struct {
	client.Client
	warnings *warnings
}

type warnings struct {
	mu    sync.Mutex
	texts []string
}

// HandleWarningHeader notes a warning.
func (w *warnings) HandleWarningHeader(_ int, _, text string) {
	if strings.Contains(text, "this is used in Pod names and hostnames") {
		return // the longest name that a project may have: Kubernetes cuts those of its Pods
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = append(w.texts, text)
}

func (w *warnings) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.texts)
}

func startServer(t *testing.T) server {
	t.Helper()
	path := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if path == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: see CONTRIBUTING.md, Tests")
	}
	log.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	s := server{warnings: new(warnings)}
	config = rest.CopyConfig(config)
	config.WarningHandler = s.warnings
	if s.Client, err = client.New(config, client.Options{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// create creates an object until the test ends.
func (s server) create(t *testing.T, object client.Object) {
	t.Helper()
	created := object.DeepCopyObject().(client.Object)
	if err := s.Create(t.Context(), created); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Delete(context.Background(), created) })
}

// notServed are the kinds of others that a control plane does not know.
var notServed = []string{"Certificate", "Issuer", "PrometheusRule", "ServiceMonitor"}

// accepts sends objects as a dry run, with strict validation of fields.
func (s server) accepts(t *testing.T, objects []*unstructured.Unstructured) {
	t.Helper()
	for _, object := range objects {
		text, err := object.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		apply := client.RawPatch(types.ApplyPatchType, text)
		err = s.Patch(t.Context(), object.DeepCopy(), apply, client.DryRunAll, client.ForceOwnership, client.FieldOwner("test"), client.FieldValidation("Strict"))
		if meta.IsNoMatchError(err) && slices.Contains(notServed, object.GetKind()) {
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", object.GetKind(), object.GetName(), err)
		}
	}
	if all := s.warnings.all(); len(all) > 0 {
		t.Errorf("the API server warns: %v", all)
	}
}

// runsPods creates a Pod of the Deployment in the Namespace of a deployment, as a dry run: admission
// holds it against the pod security standard that the Namespace enforces or warns of.
func (s server) runsPods(t *testing.T, objects []*unstructured.Unstructured) {
	t.Helper()
	deployment, namespace := new(appsv1.Deployment), find(t, objects, "Namespace", "")
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(find(t, objects, "Deployment", "").Object, deployment); err != nil {
		t.Fatal(err)
	}
	s.create(t, find(t, objects, "PriorityClass", ""))
	s.create(t, find(t, objects, "ServiceAccount", ""))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "manager", Namespace: namespace.GetName()}, Spec: deployment.Spec.Template.Spec}
	if err := s.admits(t, pod); err != nil {
		t.Errorf("a Pod: %v", err)
	}
	if all := s.warnings.all(); len(all) > 0 {
		t.Errorf("the API server warns of a Pod: %v", all)
	}
	pod.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = new(true)
	err := s.Create(t.Context(), pod, client.DryRunAll)
	switch _, isEnforced := namespace.GetLabels()[podSecurityLabel+"enforce"]; {
	case isEnforced && !apierrors.IsForbidden(err):
		t.Errorf("a Pod that is not restricted: %v", err)
	case !isEnforced && (err != nil || len(s.warnings.all()) == 0):
		t.Errorf("a Pod that is not restricted: %v, and the warnings are %v", err, s.warnings.all())
	}
}

// admits creates a Pod as a dry run. It tries again, for a minute, while the server's own cache lacks the PriorityClass that
// was just created.
func (s server) admits(t *testing.T, pod *corev1.Pod) (err error) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		err = s.Create(t.Context(), pod.DeepCopy(), client.DryRunAll, client.FieldValidation("Strict"))
		if err == nil || !strings.Contains(err.Error(), "no PriorityClass with name "+pod.Spec.PriorityClassName+" was found") {
			return err
		}
	}
	return err
}

// checkOnServer has the API server look at a deployment with all components.
func checkOnServer(t *testing.T, d deployed, name string) {
	s := startServer(t)
	objects := d.render(d.overlay("all", d.everything()+"namespace: "+name+"\n"))
	s.create(t, find(t, objects, "Namespace", ""))
	s.accepts(t, objects)
	s.accepts(t, d.render(d.overlay("others", fmt.Sprintf("components: [%s]\nnamespace: %s\n", strings.Join(d.componentsOf("api-roles-aggregated", "service-monitor-cert-manager"), ", "), name))))
	s.runsPods(t, objects)
}

func TestServerAcceptsEveryManifestOfEveryExample(t *testing.T) {
	projects, err := filepath.Glob("../../../examples/*/opgen.yaml")
	if err != nil || len(projects) == 0 {
		t.Fatal(projects, err)
	}
	for _, project := range projects {
		folder := filepath.Dir(project)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			checkOnServer(t, deploymentIn(t, folder), "manifests-"+filepath.Base(folder))
		})
	}
}

func TestServerAcceptsEveryManifestOfEachKindOfOperator(t *testing.T) {
	for name, o := range operators(t) {
		// A certificate authority is read by the server, so that it is one here.
		if name == "secret" {
			pem, err := os.ReadFile(filepath.Join("testdata", "ca.crt"))
			if err != nil {
				t.Fatal(err)
			}
			o.Certificates.CABundle = pem
		}
		// PriorityClasses belong to the cluster, and tests run at once.
		o.Name = o.Name[:min(len(o.Name), 52)] + fmt.Sprintf("-%.3s", strings.ReplaceAll(name, " ", ""))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkOnServer(t, deploymentOf(t, o), "manifests-"+strings.ReplaceAll(name, " ", "-"))
		})
	}
}

// TestKindsThatNoServerKnows says which objects the tests above leave out.
func TestKindsThatNoServerKnows(t *testing.T) {
	foreign := map[string]bool{}
	d := deploymentOf(t, operators(t)["cert-manager"])
	for _, object := range d.render(d.overlay("all", d.everything())) {
		if group := object.GroupVersionKind().Group; strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") {
			foreign[object.GetKind()] = true
		}
	}
	if diff := cmp.Diff(notServed, slices.Sorted(maps.Keys(foreign))); diff != "" {
		t.Errorf("(-expected +foreign):\n%s", diff)
	}
}
