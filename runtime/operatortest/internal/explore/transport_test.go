package explore

import (
	"net/http"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

func TestCreationOfAnObjectIsToldFromThatOfAnother(t *testing.T) {
	job := &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: metav1.ObjectMeta{Name: "web-backup", Labels: map[string]string{"app": "web"}},
	}
	job.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Image: "web"}}
	serializer := protobuf.NewSerializer(clientgoscheme.Scheme, clientgoscheme.Scheme)
	asProtobuf, err := runtime.Encode(serializer, job)
	if err != nil {
		t.Fatal(err)
	}
	asJSON := []byte(`{"kind":"Job","metadata":{"name":"web-backup","labels":{"app":"web"}},"spec":{"containers":[{"name":"web"}]}}`)
	const jobs = "/apis/batch/v1/namespaces/x/jobs"
	for name, test := range map[string]struct {
		given  string
		method string
		path   string
		body   []byte
		isIt   bool
	}{
		"as protobuf":                            {"web-backup", "POST", jobs, asProtobuf, true},
		"as JSON":                                {"web-backup", "POST", jobs, asJSON, true},
		"as an apply":                            {"web-backup", "PATCH", jobs + "/web-backup", nil, true},
		"another that has the name, as protobuf": {"web", "POST", jobs, asProtobuf, false},
		"another that has the name, as JSON":     {"web", "POST", jobs, asJSON, false},
		"the apply of another":                   {"web", "PATCH", jobs + "/web-backup", nil, false},
		"one of another kind":                    {"web-backup", "POST", "/api/v1/namespaces/x/pods", asJSON, false},
		"what is neither":                        {"web-backup", "POST", jobs, []byte("web-backup"), false},
		"a broken protobuf":                      {"web-backup", "POST", jobs, asProtobuf[:len(asProtobuf)/2], false},
	} {
		request, err := http.NewRequestWithContext(t.Context(), test.method, "https://localhost"+test.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := isCreate(request, test.body, jobs+"/"+test.given); got != test.isIt {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
