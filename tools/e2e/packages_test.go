package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// helmVersion is the version of Helm that installs the charts. It is built from its module.
const helmVersion = "v4.3.1"

// TestPackages installs echo-server as a platform does: by its chart, with values of the platform's own, through an
// upgrade, a rollback and an uninstall, and by install.yaml. Objects of users stay through all of it.
func TestPackages(t *testing.T) {
	p := newProject(t, "echo-server")
	p.onePlatform(t)
	p.edit(t, "internal/echoserver/sync.go", "kennship/http-echo", p.pushApp(t))
	helm := p.buildHelm(t)
	namespace := p.newNamespace(t)

	p.packageOperator(t, "1.0.0")
	chart := filepath.Join(p.dir, "dist", "chart")
	p.run(t, helm, "install", "echo", chart, "--namespace", p.namespace(), "--create-namespace", "--wait", "--timeout", "5m",
		"--set", "replicas=1,podLabels.team=shops,networkPolicies.enabled=true")
	parent := p.create(t, namespace, "{apiVersion: demo.example.com/v1alpha1, kind: EchoServer, metadata: {name: echo-0}, spec: {serviceName: first}}")
	p.awaitEcho(t, namespace, "first", 80)
	p.expectValues(t, "v1")

	// An upgrade keeps the values, and what is already there. A newer operator has another port.
	uid := p.podUID(t, namespace)
	p.edit(t, "internal/echoserver/sync.go", "Port: 80, ", "Port: 8080, ")
	p.packageOperator(t, "1.1.0")
	p.run(t, helm, "upgrade", "echo", chart, "--namespace", p.namespace(), "--reuse-values", "--wait", "--timeout", "5m", "--set", "resources.limits.memory=600Mi")
	eventually(t, "the Service has the new port", func() error { return p.portsAre(t, namespace, 8080) })
	p.awaitEcho(t, namespace, "first", 8080)
	p.expectValues(t, "v2")

	// A rollback brings the older operator back, with its values.
	p.run(t, helm, "rollback", "echo", "1", "--namespace", p.namespace(), "--wait", "--timeout", "5m")
	eventually(t, "the Service has the old port", func() error { return p.portsAre(t, namespace, 80) })
	p.awaitEcho(t, namespace, "first", 80)
	p.expectValues(t, "v1")
	if after := p.podUID(t, namespace); after != uid {
		t.Errorf("the Pod of the EchoServer was recreated")
	}

	// An uninstall keeps the CRD and the objects of users.
	p.run(t, helm, "uninstall", "echo", "--namespace", p.namespace(), "--wait")
	p.awaitEcho(t, namespace, "first", 80)

	// install.yaml takes the place of the chart.
	p.packageOperator(t, "1.2.0")
	p.apply(t)
	eventually(t, "the Service has the new port", func() error { return p.portsAre(t, namespace, 8080) })
	p.patch(t, parent, `{"spec":{"serviceName":"second"}}`)
	p.awaitEcho(t, namespace, "second", 8080)
	p.remove(t)
	p.expectNoCRD(t)
}

// buildHelm builds Helm.
func (p *project) buildHelm(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	command := p.command(t.TempDir(), "go", "install", "helm.sh/helm/v4/cmd/helm@"+helmVersion)
	command.Env = append(command.Env, "GOBIN="+bin, "GOFLAGS=")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build helm: %v\n%s", err, output)
	}
	return filepath.Join(bin, "helm")
}

// packageOperator builds and pushes the operator's image, and makes the chart and install.yaml.
func (p *project) packageOperator(t *testing.T, version string) {
	t.Helper()
	p.version++
	p.make(t, "docker-push")
	image := fmt.Sprintf("%s/%s:v%d", p.registry, p.name, p.version)
	p.run(t, p.opgen, "package", "helm", "--version", version, "--image", image)
	p.run(t, p.opgen, "package", "manifests", "--image", image)
	p.run(t, p.opgen, "check")
}

// apply applies install.yaml with kubectl, and waits for the operator.
func (p *project) apply(t *testing.T) {
	t.Helper()
	kubectl := []string{p.opgen, "cluster", "kubectl"}
	if path, found := os.LookupEnv("KUBECTL"); found {
		kubectl = strings.Fields(path)
	}
	run := func(arguments ...string) { p.run(t, kubectl[0], append(kubectl[1:], arguments...)...) }
	run("apply", "--server-side", "--force-conflicts", "-f", filepath.Join(p.dir, "dist", "install.yaml"))
	run("rollout", "status", "--namespace", p.namespace(), "--timeout", "5m", "deployment/"+p.name+"-controller-manager")
}

// awaitEcho waits until the EchoServer echo-0 answers.
func (p *project) awaitEcho(t *testing.T, namespace, name string, port int) {
	t.Helper()
	eventually(t, "echo-0 answers", func() error { return p.expectAnswer(namespace, "echo-0", "", name+" echo-0\n") })
	eventually(t, "echo-0 answers a Pod", func() error {
		return p.expectAnswer(namespace, "echo-0", fmt.Sprintf("fetch?host=echo-0.%s.svc:%d", namespace, port), name+" echo-0\n")
	})
}

// expectValues checks that the operator runs with the platform's own values, and its image with a tag.
func (p *project) expectValues(t *testing.T, tag string) {
	t.Helper()
	pods, err := p.podsIn(t.Context(), p.namespace(), p.operatorPods())
	if err != nil {
		t.Fatal(err)
	}
	running := 0
	for name, pod := range pods {
		if pod.DeletionTimestamp != nil {
			continue
		}
		running++
		image := pod.Spec.Containers[0].Image
		if pod.Labels["team"] != "shops" || !strings.HasSuffix(image, ":"+tag) {
			t.Errorf("Pod %s has the labels %v and the image %s, expected team=shops and the tag %s", name, pod.Labels, image, tag)
		}
	}
	if running != 1 {
		t.Errorf("%d Pods of the operator run, expected 1", running)
	}
	policy := new(unstructured.Unstructured)
	policy.SetGroupVersionKind(schema.GroupVersionKind{Group: "networking.k8s.io", Version: "v1", Kind: "NetworkPolicy"})
	if err := p.api.Get(t.Context(), client.ObjectKey{Namespace: p.namespace(), Name: p.name + "-controller-manager"}, policy); err != nil {
		t.Errorf("the NetworkPolicy: %v", err)
	}
}

// podUID returns the UID of the only Pod of the EchoServer.
func (p *project) podUID(t *testing.T, namespace string) string {
	t.Helper()
	var pods corev1.PodList
	if err := p.api.List(t.Context(), &pods, client.InNamespace(namespace)); err != nil || len(pods.Items) != 1 {
		t.Fatalf("%d Pods, expected 1 (error: %v)", len(pods.Items), err)
	}
	return string(pods.Items[0].UID)
}

// expectNoCRD checks that uninstall has removed the CRD.
func (p *project) expectNoCRD(t *testing.T) {
	t.Helper()
	crd := new(unstructured.Unstructured)
	crd.SetGroupVersionKind(schema.GroupVersionKind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"})
	err := p.api.Get(t.Context(), client.ObjectKey{Name: "echoservers.demo.example.com"}, crd)
	if err == nil {
		t.Error("the CRD is still there")
	}
}
