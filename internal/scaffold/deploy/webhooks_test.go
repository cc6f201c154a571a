package deploy

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/internal/gomarkers"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/webhookmarkers"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// withWebhooks returns an operator with the webhooks of Go comments.
func withWebhooks(t *testing.T, certificates spec.Certificates, comments string) Operator {
	t.Helper()
	return withWebhooksOf(t, "web", certificates, comments)
}

func withWebhooksOf(t *testing.T, name string, certificates spec.Certificates, comments string) Operator {
	t.Helper()
	o := Operator{Name: name, Watch: spec.WatchCluster, Certificates: certificates}
	all, err := gomarkers.Find(fstest.MapFS{"p.go": {Data: []byte("package p\n\n" + comments)}}, webhookmarkers.Name)
	if err != nil {
		t.Fatal(err)
	}
	webhooks, problems := webhookmarkers.Parse(all, webhookmarkers.Service{Name: o.ServiceName(), Namespace: o.Namespace()})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	o.Webhooks = webhooks
	return o
}

const (
	mutating   = "// +kubebuilder:webhook:path=/mutate-v1-pod,mutating=true,failurePolicy=fail,sideEffects=None,groups=core,resources=pods,verbs=create,versions=v1,name=mpod.example.com,admissionReviewVersions=v1,reinvocationPolicy=IfNeeded\n"
	validating = "// +kubebuilder:webhook:path=/validate-v1-pod,mutating=false,failurePolicy=ignore,sideEffects=NoneOnDryRun,groups=core;apps,resources=pods;deployments/scale,verbs=create;update,versions=v1,name=vpod.example.com,admissionReviewVersions=v1;v1beta1,matchPolicy=Exact,timeoutSeconds=7,servicePort=8443\n"
	byURL      = "// +kubebuilder:webhook:url=\"https://127.0.0.1:9443/v\",mutating=false,failurePolicy=fail,sideEffects=None,groups=*,resources=*,verbs=*,versions=*,name=elsewhere.example.com,admissionReviewVersions=v1\n"
)

var secret = spec.Certificates{From: spec.CertificateSecret, Secret: "own", CABundle: []byte("ca")}

func TestGoldenWebhookObjects(t *testing.T) {
	converting := withWebhooks(t, spec.Certificates{From: spec.CertManager}, mutating+validating+byURL)
	converting.Converts = true
	for name, o := range map[string]Operator{"cert-manager": converting, "secret": withWebhooks(t, secret, mutating)} {
		t.Run(name, func(t *testing.T) {
			got, err := Marshal(o.ManagerObjects()...)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "webhooks-"+name+".yaml")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			expected, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(expected), string(got)); diff != "" {
				t.Errorf("if it is meant to change, run make golden (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutWebhooksOfItsOwnAnOperatorHasNoServer(t *testing.T) {
	elsewhere := withWebhooks(t, secret, byURL)
	if elsewhere.ServesWebhooks() || len(elsewhere.webhookObjects()) != 1 {
		t.Errorf("a webhook at a url: %d objects", len(elsewhere.webhookObjects()))
	}
	if none := (Operator{Name: "web"}); len(none.webhookObjects()) > 0 || len(none.ManagerObjects()[0].(*appsv1.Deployment).Spec.Template.Spec.Volumes) > 0 {
		t.Error("without webhooks there are objects of webhooks")
	}
}

// TestOperatorsShareANamespace plays two operators whose objects a kustomization puts into one
// namespace.
func TestOperatorsShareANamespace(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range []string{"web", "shop"} {
		o := withWebhooks(t, spec.Certificates{From: spec.CertManager}, mutating+validating)
		o.Name = name
		for _, object := range o.ManagerObjects() {
			meta, kind := object.(metav1.Object), object.GetObjectKind().GroupVersionKind().Kind
			if seen[kind+meta.GetName()] {
				t.Errorf("%s %s is of both", kind, meta.GetName())
			}
			seen[kind+meta.GetName()] = true
		}
		if seen[o.secretName()] {
			t.Errorf("the Secret %s is of both", o.secretName())
		}
		seen[o.secretName()] = true
	}
}
