package requests

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

const (
	second   = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","uid":"a","resourceVersion":"2","labels":{"app":"web"}},"status":{"phase":"Running"}}`
	third    = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","uid":"a","resourceVersion":"3"}}`
	deletedA = `{"apiVersion":"v1","kind":"Status","status":"Success","details":{"name":"web","kind":"pods","uid":"a"}}`
	deletedB = `{"apiVersion":"v1","kind":"Status","status":"Success","details":{"name":"web","kind":"pods","uid":"b"}}`
	another  = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","uid":"b","resourceVersion":"9"}}`
	list     = `{"apiVersion":"v1","kind":"PodList","metadata":{"resourceVersion":"9"},"items":[]}`
)

func TestWrittenIsTheStateAfterTheLastWrite(t *testing.T) {
	web := Use{Verb: "patch", Resource: "pods/status", Namespace: "a", Name: "web"}
	for _, test := range []struct {
		name    string
		answers []string
		want    State
		unclear int
	}{
		{"one write", []string{second}, State{UID: "a", ResourceVersion: "2", Labels: map[string]string{"app": "web"}}, 0},
		{"two writes", []string{second, third}, State{UID: "a", ResourceVersion: "3"}, 0},
		{"answers in another order", []string{third, second}, State{UID: "a", ResourceVersion: "3"}, 0},
		{"a deletion", []string{second, deletedA}, State{UID: "a", Deleted: true}, 0},
		{"an answer after the deletion", []string{deletedA, third}, State{UID: "a", Deleted: true}, 0},
		{"created again", []string{second, deletedA, another}, State{UID: "b", ResourceVersion: "9"}, 0},
		{"a deletion of another one", []string{second, deletedB}, State{UID: "a", ResourceVersion: "2", Labels: map[string]string{"app": "web"}}, 1},
		{"a collection", []string{second, list}, State{UID: "a", ResourceVersion: "2", Labels: map[string]string{"app": "web"}}, 1},
		{"no answer", []string{second, ""}, State{UID: "a", ResourceVersion: "2", Labels: map[string]string{"app": "web"}}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var written Written
			for _, answer := range test.answers {
				written.record(web, []byte(answer))
			}
			pods := schema.GroupResource{Resource: "pods"}
			got, _ := written.State(pods, types.NamespacedName{Namespace: "a", Name: "web"})
			if got.UID != test.want.UID || got.ResourceVersion != test.want.ResourceVersion || got.Deleted != test.want.Deleted || got.Labels["app"] != test.want.Labels["app"] {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if got := written.Unclear(pods); got != test.unclear {
				t.Errorf("%d writes are unclear, want %d", got, test.unclear)
			}
			if got := written.Namespaces("own"); !slices.Equal(got, []string{"a", "own"}) {
				t.Errorf("namespaces %v", got)
			}
		})
	}
}

// A typed client of a built-in kind is answered in Protobuf.
func TestStateIsReadFromProtobuf(t *testing.T) {
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: "web", UID: "a", ResourceVersion: "2"}}
	body, err := runtime.Encode(protobuf.NewSerializer(clientgoscheme.Scheme, clientgoscheme.Scheme), pod)
	if err != nil {
		t.Fatal(err)
	}
	state, name, ok := readState(body)
	if !ok || name != "web" || state.UID != "a" || state.ResourceVersion != "2" {
		t.Errorf("read %+v of %q, %v", state, name, ok)
	}
}

func TestRecorderRecordsWhatIsWritten(t *testing.T) {
	for _, test := range []struct {
		name, method, path string
		code               int
		want               int
	}{
		{"a write", http.MethodPatch, "/api/v1/namespaces/a/pods/web", http.StatusOK, 1},
		{"a create, whose path has no name", http.MethodPost, "/api/v1/namespaces/a/pods", http.StatusCreated, 1},
		{"a dry run", http.MethodPatch, "/api/v1/namespaces/a/pods/web?dryRun=All", http.StatusOK, 0},
		{"a read", http.MethodGet, "/api/v1/namespaces/a/pods/web", http.StatusOK, 0},
		{"a refused write", http.MethodPatch, "/api/v1/namespaces/a/pods/web", http.StatusConflict, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(test.code)
				_, _ = w.Write([]byte(second))
			}))
			defer server.Close()
			var written Written
			recorder := &Recorder{Next: http.DefaultTransport, Written: &written, Wrote: func(schema.GroupResource, string) {}}
			request, err := http.NewRequestWithContext(t.Context(), test.method, server.URL+test.path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			response, err := recorder.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			names, count := written.Since(schema.GroupResource{Resource: "pods"}, 0)
			if count != test.want || count == 1 && names[0] != (types.NamespacedName{Namespace: "a", Name: "web"}) {
				t.Errorf("recorded %v, want %d", names, test.want)
			}
		})
	}
}
