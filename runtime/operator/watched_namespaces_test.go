package operator_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// cupName and cupGroupKey are the name of the generated controller, and the variable with its group. Its parents have
// the group as a label.
const (
	cupName     = "cup"
	cupGroupKey = "OPGEN_TEST_GROUP"
)

// alterGenerated makes the controller of a test the one that cupSpec describes.
func alterGenerated(d *siteDefinition) {
	d.Name, d.Group = cupName, os.Getenv(cupGroupKey)
	d.Parents = []operator.ParentKind{{Object: &testapi.Site{}, Labels: d.Group}}
	d.Status, d.Conditions, d.ObservedGeneration, d.ParentMetadata = nil, nil, nil, false
	d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind { return kinds(observed, desired)[:1] }
}

// desireUntilPoked desires one child, and another one until somebody annotates the parent, which no change of its spec
// explains.
func desireUntilPoked(_ context.Context, req *Request) (*Response, error) {
	want := new(Desired)
	want.ConfigMaps.Add(configMap("stays", "one"))
	if req.Parent.Annotations[pokeKey] == "" {
		want.ConfigMaps.Add(configMap("goes", "one"))
	}
	return &Response{Children: want}, nil
}

const cupSpec = `apiVersion: opgen.dev/v1alpha1
kind: Controller
name: cup
parents:
- {apiVersion: test.opgen.dev/v1, kind: Site, plural: sites, scope: Namespaced, labelSelector: %s}
operator:
  children:
  - {apiVersion: v1, kind: ConfigMap}
`

// refusals are the requests that an API server has refused with 403.
type refusals struct {
	next http.RoundTripper
	mu   sync.Mutex
	all  []string
}

func (r *refusals) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := r.next.RoundTrip(request)
	if err != nil || answer.StatusCode != http.StatusForbidden {
		return answer, err
	}
	body, err := io.ReadAll(answer.Body)
	answer.Body = io.NopCloser(bytes.NewReader(body))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, fmt.Sprintf("%s %s: %s", request.Method, request.URL.Path, body))
	return answer, err
}

func (r *refusals) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.all)
}

// deployedCup is the operator of a generated project, whose manifests are in the cluster.
type deployedCup struct {
	*operatortest.Cluster
	t       *testing.T
	name    string // of the project
	group   string
	project string // its folder
	watched []string
}

// deployCup generates a project that watches some namespaces, and creates what its manifests say. configure returns the
// lines of opgen.yaml about that, and the namespaces in which the operator works.
func deployCup(t *testing.T, opgen string, cluster *operatortest.Cluster, configure func(name string) (lines string, watched []string)) *deployedCup {
	t.Helper()
	name := "cup-" + strings.ToLower(rand.Text()[:8])
	d := &deployedCup{Cluster: cluster, t: t, name: name, group: cupName + "." + name + ".example.com", project: filepath.Join(t.TempDir(), "project")}
	lines, watched := configure(name)
	d.watched = watched
	runIn(t, ".", opgen, "init", d.project, "--module", "example.com/"+name, "--domain", name+".example.com", "--name", name)
	settings := filepath.Join(d.project, "opgen.yaml")
	text, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	before, _, _ := strings.Cut(string(text), "watch: cluster")
	for file, text := range map[string]string{settings: before + lines, filepath.Join(t.TempDir(), "cup.yaml"): fmt.Sprintf(cupSpec, d.group)} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if file != settings {
			runIn(t, d.project, opgen, "create", "controller", cupName, "-f", file)
		}
	}
	for _, namespace := range slices.Compact(slices.Sorted(slices.Values(append([]string{name + "-system"}, d.watched...)))) {
		d.Create(&corev1.Namespace{ObjectMeta: named(&corev1.Namespace{}, namespace).ObjectMeta})
	}
	rights := d.objects("rbac")
	for _, object := range rights {
		d.Create(object)
	}
	for _, object := range rights {
		if object.GetKind() == "Role" {
			d.awaitRole(object)
		}
	}
	return d
}

// user returns the name of the operator's ServiceAccount, as the API server's authorizer knows it.
func (d *deployedCup) user() string {
	return "system:serviceaccount:" + d.name + "-system:" + d.name + "-controller-manager"
}

// awaitRole waits until the authorizer knows a role of the operator.
func (d *deployedCup) awaitRole(object *unstructured.Unstructured) {
	d.t.Helper()
	role := new(rbacv1.Role)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, role); err != nil {
		d.t.Fatal(err)
	}
	rule := role.Rules[0]
	d.Eventually("the role is in effect in "+role.Namespace, func() error {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: d.user(), ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: role.Namespace, Verb: rule.Verbs[0], Group: rule.APIGroups[0], Resource: rule.Resources[0], Name: cmp.Or(rule.ResourceNames...),
		}}}
		if err := d.Client.Create(d.t.Context(), review); err != nil || review.Status.Allowed {
			return err
		}
		return errors.New("it is not")
	})
}

// objects returns what a file of the manifests holds.
func (d *deployedCup) objects(file string) (objects []*unstructured.Unstructured) {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.project, "deploy", "zz_generated."+file+".yaml"))
	if err != nil {
		d.t.Fatal(err)
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), len(text))
	for {
		object := new(unstructured.Unstructured)
		if err := decoder.Decode(object); errors.Is(err, io.EOF) {
			return objects
		} else if err != nil {
			d.t.Fatal(err)
		}
		objects = append(objects, object)
	}
}

// run runs the operator as the Deployment says, with the rights of its ServiceAccount, and returns what answers its
// probes and what the API server refuses.
func (d *deployedCup) run() (address string, refused *refusals) {
	d.t.Helper()
	deployment := new(appsv1.Deployment)
	for _, object := range d.objects("manager") {
		if object.GetKind() != "Deployment" {
			continue
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, deployment); err != nil {
			d.t.Fatal(err)
		}
	}
	pod := deployment.Spec.Template.Spec
	kubeconfig := startProxy(d.t, d.user(), deployment.Namespace, func(next http.RoundTripper) http.RoundTripper {
		refused = &refusals{next: next}
		return refused
	})
	address = freeAddress(d.t)
	args := []string{"--kubeconfig", kubeconfig}
	for _, arg := range pod.Containers[0].Args { // as a kubelet expands them
		args = append(args, strings.ReplaceAll(arg, "$(POD_NAMESPACE)", deployment.Namespace))
	}
	args = append(args, "--metrics-bind-address=0", "--health-probe-bind-address="+address)
	startProcess(d.t, d.name, os.Args[0], []string{modeKey + "=generated", cupGroupKey + "=" + d.group}, args...)
	return address, refused
}

// works fails the test unless a parent in each namespace is reconciled.
func (d *deployedCup) works() {
	d.t.Helper()
	for _, namespace := range d.watched {
		parent := site("web")
		parent.Namespace, parent.Labels = namespace, map[string]string{d.group: ""}
		d.Create(parent)
		stays, goes := configMapIn(namespace, "stays"), configMapIn(namespace, "goes")
		d.Exists(stays, goes)
		d.Update(parent, func() { parent.Annotations = map[string]string{pokeKey: "now"} })
		d.Gone(goes) // which counts at the brake
	}
}

// Each configuration of watched namespaces works with the arguments and the roles that are generated for it: parents are
// reconciled, the Leases are in the operator's own namespace, and nothing is refused.
func TestGeneratedOperatorWorksInTheNamespacesThatItWatches(t *testing.T) {
	if os.Getenv("OPGEN_TEST_KUBECONFIG") == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	t.Parallel()
	opgen := filepath.Join(t.TempDir(), "opgen")
	runIn(t, ".", "go", "build", "-o", opgen, "../../cmd/opgen")
	list := func(namespaces ...string) (string, []string) {
		return "watch: namespace\nwatchNamespaces: [" + strings.Join(namespaces, ", ") + "]\n", namespaces
	}
	for title, configure := range map[string]func(name string) (lines string, watched []string){
		"all":                    func(name string) (string, []string) { return "watch: cluster\n", []string{name + "-a"} },
		"its own":                func(name string) (string, []string) { return "watch: namespace\n", []string{name + "-system"} },
		"its own, by a list":     func(name string) (string, []string) { return list(name + "-system") },
		"one other":              func(name string) (string, []string) { return list(name + "-a") },
		"two others":             func(name string) (string, []string) { return list(name+"-b", name+"-a") },
		"its own and one beside": func(name string) (string, []string) { return list(name+"-a", name+"-system") },
	} {
		t.Run(title, func(t *testing.T) {
			f := alone(t)
			d := deployCup(t, opgen, f.Cluster, configure)
			address, refused := d.run()
			d.works()
			d.Eventually("the operator is ready", func() error {
				if code, text := probe(t, "http://"+address+"/readyz?verbose"); code != http.StatusOK {
					return errors.New(text)
				}
				return nil
			})
			leases := new(coordinationv1.LeaseList)
			if err := d.Client.List(t.Context(), leases); err != nil {
				t.Fatal(err)
			}
			var own, others []string
			for _, lease := range leases.Items {
				switch {
				case lease.Namespace == d.name+"-system":
					own = append(own, lease.Name)
				case slices.Contains(d.watched, lease.Namespace):
					others = append(others, client.ObjectKeyFromObject(&lease).String())
				}
			}
			slices.Sort(own)
			if want := []string{d.name, cupName + "." + d.group + "-prunes"}; !slices.Equal(slices.Sorted(slices.Values(want)), own) || len(others) > 0 {
				t.Errorf("Leases %v in the operator's namespace, and %v in others; want %v", own, others, want)
			}
			if all := refused.list(); len(all) > 0 {
				t.Errorf("the API server refused %d requests, the first ones are:\n%s", len(all), strings.Join(all[:min(5, len(all))], "\n"))
			}
		})
	}
}
