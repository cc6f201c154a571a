package crdgen_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/spec"
)

// TestSampleOfGoTypes makes samples of types that an author owns.
func TestSampleOfGoTypes(t *testing.T) {
	tests := []struct{ name, properties, want string }{
		{"optional fields stay comments", `
      name: string | required
      suspend: bool
      mode: {type: string, enum: [Allow, Forbid]}`, `
  name: example
  # suspend: false
  # mode: Allow`},
		{"but for those with a default or an example", `
      replicas: int32 | default=3
      zone: {type: string, example: west}
      note: string`, `
  replicas: 3
  zone: west
  # note: example`},
		{"and those that a rule needs", `
      a: string
      b: string
      c: string | default=x
    x-kubernetes-validations: [{rule: "has(self.b)"}]`, `
  b: example
  c: x
  # a: example`},
		{"and two that a rule needs", `
      a: string
      b: string
      c: string
    x-kubernetes-validations: [{rule: "has(self.a) && has(self.b)"}]`, `
  a: example
  b: example
  # c: example`},
		{"an example before a default", `
      zone: {type: string, example: west, default: east}`, `
  zone: west`},
		{"what names suggest", `
      schedule: string | required
      proxyImage: string | required
      baseURL: string | required
      timeZone: string | required
      timeout: string | required
      host: {type: string, pattern: '^[a-z]+$'}
    required: [host]`, `
  baseURL: https://example.com
  host: example
  proxyImage: nginx:1.29
  schedule: 0 0 * * *
  timeZone: Etc/UTC
  timeout: 1m0s`},
		{"a Job", `
      job: batch/v1.JobTemplateSpec | required`, `
  job:
    spec:
      template:
        spec:
          containers:
          - command:
            - date
            image: busybox:1.37
            name: example
          restartPolicy: OnFailure`},
		{"a Pod", `
      pod: core/v1.PodTemplateSpec | required`, `
  pod:
    spec:
      containers:
      - image: nginx:1.29
        name: example`},
		{"a Deployment", `
      web: apps/v1.DeploymentSpec | required`, `
  web:
    selector:
      matchLabels:
        app: example
    template:
      metadata:
        labels:
          app: example
      spec:
        containers:
        - image: nginx:1.29
          name: example`},
		{"a claim and references", `
      data: core/v1.PersistentVolumeClaimSpec | required
      pull: core/v1.LocalObjectReference | required
      key: core/v1.SecretKeySelector | required`, `
  data:
    accessModes:
    - ReadWriteOnce
    resources:
      requests:
        storage: 1Gi
  key:
    key: example
    name: example
  pull:
    name: example`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			api := parse(t, "  spec:\n    properties:"+tt.properties)
			crd := mustCRD(t, api)
			got := sampleOfGoTypes(t, api)
			want := "apiVersion: demo.example.com/v1\nkind: EchoServer\nmetadata:\n  name: echoserver-sample\nspec:" + tt.want + "\n"
			if string(got) != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
			if errs := crdgen.ValidateObject(crd, got); len(errs) > 0 {
				t.Error(errs)
			}
		})
	}
}

// sampleOfGoTypes returns a sample as if the author owned the types.
func sampleOfGoTypes(t *testing.T, api *spec.API) []byte {
	t.Helper()
	api.Versions[0].GoTypes = true
	got, err := crdgen.Sample(api, "v1")
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestServerAcceptsSamples creates a sample that has Kubernetes types in it, and from these the
// objects that an operator would: the API server accepts all of them.
func TestServerAcceptsSamples(t *testing.T) {
	api := parse(t, `  spec:
    properties:
      schedule: string | required
      job: batch/v1.JobSpec | required
      web: apps/v1.DeploymentSpec | required
      data: core/v1.PersistentVolumeClaimSpec | required
      pod: core/v1.PodSpec | required`)
	api.Group, api.Names.Kind, api.Names.Plural = "samples.opgen.dev", "Sampled", "sampleds"
	api.Names.Singular, api.Names.ListKind = "sampled", "SampledList"
	crd := mustCRD(t, api)
	server := startServer(t, crd)
	var sample map[string]any
	if err := yaml.Unmarshal(sampleOfGoTypes(t, api), &sample); err != nil {
		t.Fatal(err)
	}
	parent := &unstructured.Unstructured{Object: sample}
	parent.SetNamespace("default")
	if err := create(t, server, parent); err != nil {
		t.Fatal(err)
	}
	for field, kind := range map[string][2]string{
		"job": {"batch/v1", "Job"}, "web": {"apps/v1", "Deployment"}, "data": {"v1", "PersistentVolumeClaim"}, "pod": {"v1", "Pod"},
	} {
		child := &unstructured.Unstructured{Object: map[string]any{"spec": parent.Object["spec"].(map[string]any)[field]}}
		child.SetAPIVersion(kind[0])
		child.SetKind(kind[1])
		child.SetNamespace("default")
		child.SetName("sample-" + strings.ToLower(kind[1]))
		if err := create(t, server, child); err != nil {
			t.Errorf("%s: %v", kind[1], err)
			continue
		}
		if err := server.Delete(t.Context(), child); err != nil {
			t.Error(err)
		}
	}
}
