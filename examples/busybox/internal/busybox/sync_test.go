package busybox

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"

	"example.com/busybox/api/v1"
)

// fakeRegistry has the images of tags.
type fakeRegistry struct {
	mu     sync.Mutex
	images map[string]string
}

// newRegistry returns a registry that knows the tag stable.
func newRegistry() *fakeRegistry {
	return &fakeRegistry{images: map[string]string{"stable": "busybox@sha256:one"}}
}

func (f *fakeRegistry) imageOf(_ context.Context, tag string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if image, ok := f.images[tag]; ok {
		return image, nil
	}
	return "", errors.New("there is no such tag")
}

func (f *fakeRegistry) push(tag, image string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.images[tag] = image
}

func newBox(name string) *v1.BusyBox {
	return &v1.BusyBox{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: v1.BusyBoxSpec{
			Command: []string{"sleep", "inf"}, Tag: "stable", RestartPolicy: v1.BusyBoxRestartPolicyAlways,
		},
	}
}

// podWith is the Pod of a BusyBox.
func podWith(name, image string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyAlways,
			Containers: []corev1.Container{{
				Name: "busybox", Image: image, Command: []string{"sleep", "inf"},
			}},
		},
	}
}

func TestSync(t *testing.T) {
	box, unknown := newBox("box"), newBox("box")
	unknown.Spec.Tag = "next"
	want := new(Desired)
	want.Pods.Add(podWith("box", "busybox@sha256:one"))
	running := podWith("box", "busybox@sha256:one")
	running.Status.Phase = corev1.PodRunning

	r := &Reconciler{imageOf: newRegistry().imageOf}
	operatortest.Run(t, r.Sync,
		operatortest.Case[Request, Response]{
			Name:  "a new BusyBox gets a Pod, with the image that the tag stands for",
			Given: Request{Parent: box},
			Expect: &Response{
				Children:     want,
				Status:       &v1.BusyBoxStatus{Phase: "Waiting", Image: "busybox@sha256:one"},
				RequeueAfter: checkEvery,
			},
		},
		operatortest.Case[Request, Response]{
			Name:  "the status has the phase of the Pod",
			Given: Request{Parent: box, Children: Children{Pods: operator.NewSnapshot(running)}},
			Expect: &Response{
				Children:     want,
				Status:       &v1.BusyBoxStatus{Phase: "Running", Image: "busybox@sha256:one"},
				RequeueAfter: checkEvery,
			},
		},
		operatortest.Case[Request, Response]{
			Name:        "a tag that the registry does not know is an error",
			Given:       Request{Parent: unknown},
			ExpectError: "image of the tag next: there is no such tag",
		},
	)
}

func TestFinalize(t *testing.T) {
	operatortest.Run(t, new(Reconciler).Finalize,
		operatortest.Case[Request, Response]{
			Name: "it waits until the Pod is gone",
			Given: Request{
				Parent:   newBox("box"),
				Children: Children{Pods: operator.NewSnapshot(podWith("box", "busybox@sha256:one"))},
			},
			Expect: &Response{Children: new(Desired)},
		},
		operatortest.Case[Request, Response]{
			Name:   "then the BusyBox goes, too",
			Given:  Request{Parent: newBox("box")},
			Expect: &Response{Children: new(Desired), Finalized: true},
		},
	)
}

// TestANewImage has the registry change what a tag stands for, and an hour pass.
func TestANewImage(t *testing.T) {
	images := newRegistry()
	r := &Reconciler{imageOf: images.imageOf}
	sim := operatortest.Simulate(t, r.Sync, newBox("box"), Controller(r))
	sim.Converged()

	images.push("stable", "busybox@sha256:two")
	sim.Advance(checkEvery)
	sim.Converged()
	want := new(Desired)
	want.Pods.Add(podWith("box", "busybox@sha256:two"))
	sim.Expect(operatortest.Case[Request, Response]{ExpectPart: &Response{Children: want}})
}

func TestRegistry(t *testing.T) {
	handler := http.NewServeMux()
	path := "HEAD /v2/tools/busybox/manifests/stable"
	handler.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Docker-Content-Digest", "sha256:one")
	})
	server := httptest.NewServer(handler)
	defer server.Close()
	images := registry{host: server.URL, repository: "tools/busybox"}

	image, err := images.imageOf(t.Context(), "stable")
	if want := server.URL + "/tools/busybox@sha256:one"; err != nil || image != want {
		t.Errorf("the image is %q (%v), want %q", image, err, want)
	}
	_, err = images.imageOf(t.Context(), "next")
	if err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("the error of a tag that does not exist is %v, want 404", err)
	}
	server.Close()
	if _, err := images.imageOf(t.Context(), "stable"); err == nil {
		t.Error("a registry that is down is no error")
	}
}
