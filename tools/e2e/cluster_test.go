package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// cluster is the cluster that the tests run in, and what they need of the machine.
type cluster struct {
	checkout, opgen      string // the folder of the source, and the program
	kubeconfig, registry string

	api    client.WithWatch
	server string
	http   *http.Client
}

// connect connects to the cluster for the tests. It skips the test if there is none.
func connect(t *testing.T) cluster {
	t.Helper()
	c := cluster{kubeconfig: os.Getenv("OPGEN_E2E_KUBECONFIG"), registry: os.Getenv("OPGEN_REGISTRY")}
	if c.kubeconfig == "" {
		t.Skip("OPGEN_E2E_KUBECONFIG is not set: run make e2e")
	}
	if c.registry == "" {
		t.Fatal("OPGEN_REGISTRY is not set: name a registry that the nodes can pull from")
	}
	var err error
	if c.checkout, err = filepath.Abs(filepath.Join("..", "..")); err != nil {
		t.Fatal(err)
	}
	c.opgen = filepath.Join(c.checkout, "bin", "opgen")
	config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS = -1
	c.server = config.Host
	if c.http, err = rest.HTTPClientFor(config); err != nil {
		t.Fatal(err)
	}
	if c.api, err = client.NewWithWatch(config, client.Options{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// newNamespace makes a namespace for the objects of a test's user, and deletes it at the end.
func (c cluster) newNamespace(t *testing.T) string {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}
	if err := c.api.Create(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			c.logEvents(t, namespace.Name)
		}
		_ = c.api.Delete(context.Background(), namespace)
	})
	return namespace.Name
}

// logEvents logs what has happened in a namespace.
func (c cluster) logEvents(t *testing.T, namespace string) {
	t.Helper()
	var events corev1.EventList
	if err := c.api.List(context.Background(), &events, client.InNamespace(namespace)); err != nil {
		t.Log(err)
	}
	for _, event := range events.Items {
		t.Logf("%s %s/%s: %s: %s", event.LastTimestamp.Format(time.TimeOnly), event.InvolvedObject.Kind, event.InvolvedObject.Name, event.Reason, event.Message)
	}
}

// create creates an object from YAML.
func (c cluster) create(t *testing.T, namespace, text string) *unstructured.Unstructured {
	t.Helper()
	object := new(unstructured.Unstructured)
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		t.Fatal(err)
	}
	object.SetNamespace(namespace)
	if err := c.api.Create(t.Context(), object); err != nil {
		t.Fatalf("create %s: %v", object.GetName(), err)
	}
	t.Cleanup(func() { _ = c.api.Delete(context.Background(), object) })
	return object
}

// patch merges a text of JSON into an object.
func (c cluster) patch(t *testing.T, object client.Object, text string) {
	t.Helper()
	if err := c.api.Patch(t.Context(), object, client.RawPatch(types.MergePatchType, []byte(text))); err != nil {
		t.Fatalf("patch %s: %v", object.GetName(), err)
	}
}

// deleteAndWait deletes an object and waits until it is gone.
func (c cluster) deleteAndWait(t *testing.T, object client.Object) {
	t.Helper()
	if err := c.api.Delete(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	eventually(t, object.GetName()+" is gone", func() error {
		err := c.api.Get(t.Context(), client.ObjectKeyFromObject(object), object)
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil {
			err = errors.New("it is still there")
		}
		return err
	})
}

// podsIn returns the Pods of a namespace with the labels, by name.
func (c cluster) podsIn(ctx context.Context, namespace string, labels client.MatchingLabels) (map[string]corev1.Pod, error) {
	var list corev1.PodList
	if err := c.api.List(ctx, &list, client.InNamespace(namespace), labels); err != nil {
		return nil, err
	}
	pods := map[string]corev1.Pod{}
	for _, pod := range list.Items {
		pods[pod.Name] = pod
	}
	return pods, nil
}

// isReady reports whether a Pod is ready and stays.
func isReady(pod corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue && pod.DeletionTimestamp == nil
		}
	}
	return false
}

// ask sends a request to a port of a Pod or a Service through the API server: what is "pods" or "services".
func (c cluster) ask(namespace, what, name, port, path string) (string, error) {
	response, err := c.http.Get(fmt.Sprintf("%s/api/v1/namespaces/%s/%s/%s:%s/proxy/%s", c.server, namespace, what, name, port, path))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(data)))
	}
	return string(data), err
}

// podHistory is what has happened to the Pods of a namespace since it was begun.
type podHistory struct {
	mutex       sync.Mutex
	created     map[types.UID]string // the names
	ended       map[types.UID]string // of those that were deleted, or are being deleted
	unavailable int                  // the most Pods that were not ready at a time, of those that were there at the beginning
	ready       map[string]bool
}

// observe begins the history of the Pods in a namespace.
func (c cluster) observe(t *testing.T, namespace string) *podHistory {
	t.Helper()
	h := &podHistory{created: map[types.UID]string{}, ended: map[types.UID]string{}, ready: map[string]bool{}}
	var list corev1.PodList
	if err := c.api.List(t.Context(), &list, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	for _, pod := range list.Items {
		h.ready[pod.Name] = isReady(pod)
	}
	begin := &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: list.ResourceVersion}}
	events, err := c.api.Watch(t.Context(), new(corev1.PodList), client.InNamespace(namespace), begin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(events.Stop)
	go func() {
		for event := range events.ResultChan() {
			if pod, isPod := event.Object.(*corev1.Pod); isPod {
				h.note(event.Type, *pod)
			}
		}
	}()
	return h
}

func (h *podHistory) note(event watch.EventType, pod corev1.Pod) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if event == watch.Added {
		h.created[pod.UID] = pod.Name
	}
	if event == watch.Deleted || pod.DeletionTimestamp != nil {
		h.ended[pod.UID] = pod.Name
	}
	if _, counts := h.ready[pod.Name]; !counts {
		return
	}
	h.ready[pod.Name] = event != watch.Deleted && isReady(pod)
	down := 0
	for _, ready := range h.ready {
		if !ready {
			down++
		}
	}
	h.unavailable = max(h.unavailable, down)
}

// counts returns how many Pods were created and ended, and how many were unavailable at a time.
func (h *podHistory) counts() (created, ended, unavailable int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return len(h.created), len(h.ended), h.unavailable
}

// patience is how long a test waits for something.
const patience = 3 * time.Minute

// eventually waits until there is no error.
func eventually(t *testing.T, what string, holds func() error) {
	t.Helper()
	end := time.Now().Add(patience)
	for {
		err := holds()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: not within %s: %v", what, patience, err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}
