package e2e

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const echoServers = 8

func TestEchoServer(t *testing.T) {
	p := newProject(t, "echo-server")
	p.edit(t, "internal/echoserver/sync.go", "kennship/http-echo", p.pushApp(t))
	p.deploy(t, "image", "install")
	p.reportPods(t)
	namespace := p.newNamespace(t)
	history := p.observe(t, namespace)

	// The operator's Pod is killed in the middle of the work.
	var parents []*unstructured.Unstructured
	for i := range echoServers {
		parents = append(parents, p.create(t, namespace, fmt.Sprintf(`
apiVersion: demo.example.com/v1alpha1
kind: EchoServer
metadata: {name: echo-%d}
spec: {serviceName: first-%d}`, i, i)))
		if i == echoServers/2 {
			p.kill(t)
		}
	}
	p.awaitAnswers(t, namespace, "first", 80)
	if created, ended, _ := history.counts(); created != echoServers || ended != 0 {
		t.Errorf("%d Pods were created and %d have ended, expected %d and 0", created, ended, echoServers)
	}

	// It hands its work over in the middle of a change, which recreates every Pod.
	for i, parent := range parents {
		p.patch(t, parent, fmt.Sprintf(`{"spec":{"serviceName":"second-%d"}}`, i))
		if i == echoServers/2 {
			p.handOver(t)
		}
	}
	p.awaitAnswers(t, namespace, "second", 80)
	if created, ended, _ := history.counts(); created != 2*echoServers || ended != echoServers {
		t.Errorf("%d Pods were created and %d have ended, expected %d and %d", created, ended, 2*echoServers, echoServers)
	}

	// A newer operator has another Service, and the same Pod.
	before := p.uids(t, namespace)
	p.edit(t, "internal/echoserver/sync.go", "Port: 80, ", "Port: 8080, ")
	p.deploy(t)
	p.reportPods(t)
	eventually(t, "every Service has the new port", func() error { return p.portsAre(t, namespace, 8080) })
	p.awaitAnswers(t, namespace, "second", 8080)
	if after := p.uids(t, namespace); len(after) != len(before) {
		t.Errorf("there are %d Pods and Services, expected %d", len(after), len(before))
	} else {
		for name, uid := range before {
			if after[name] != uid {
				t.Errorf("%s was recreated", name)
			}
		}
	}
	if created, _, _ := history.counts(); created != 2*echoServers {
		t.Errorf("%d Pods were created in all, expected %d", created, 2*echoServers)
	}

	// What users have stays until the CRD goes.
	p.make(t, "undeploy")
	p.awaitAnswers(t, namespace, "second", 8080)
	printed := p.make(t, "uninstall", "CONFIRM=yes")
	if expected := fmt.Sprintf("%d objects of kind EchoServer in 1 namespace", echoServers); !strings.Contains(printed, expected) {
		t.Errorf("uninstall prints %q, expected %q", printed, expected)
	}
	eventually(t, "no Pod is left", func() error {
		pods, err := p.podsIn(t.Context(), namespace, nil)
		if err == nil && len(pods) > 0 {
			err = fmt.Errorf("%d Pods are", len(pods))
		}
		return err
	})
}

// awaitAnswers waits until every Service answers with its name, to a request that a Pod sends by the Service's DNS name.
func (p *project) awaitAnswers(t *testing.T, namespace, name string, port int) {
	t.Helper()
	for i := range echoServers {
		service := fmt.Sprintf("echo-%d", i)
		expected := fmt.Sprintf("%s-%d echo-%d\n", name, i, i)
		path := fmt.Sprintf("fetch?host=%s.%s.svc:%d", service, namespace, port)
		eventually(t, service+" answers", func() error {
			return p.expectAnswer(namespace, service, "", expected)
		})
		eventually(t, service+" answers another Pod", func() error {
			return p.expectAnswer(namespace, "echo-0", path, expected)
		})
	}
}

// expectAnswer returns an error if a Service does not answer as expected, through the API server.
func (p *project) expectAnswer(namespace, service, path, expected string) error {
	answer, err := p.ask(namespace, "services", service, "http", path)
	if err == nil && answer != expected {
		err = fmt.Errorf("it says %q, expected %q", answer, expected)
	}
	return err
}

// uids returns the UIDs of Pods and Services, by kind and name.
func (p *project) uids(t *testing.T, namespace string) map[string]types.UID {
	t.Helper()
	uids := map[string]types.UID{}
	var pods corev1.PodList
	var services corev1.ServiceList
	for _, list := range []client.ObjectList{&pods, &services} {
		if err := p.api.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
			t.Fatal(err)
		}
	}
	for _, pod := range pods.Items {
		uids["Pod "+pod.Name] = pod.UID
	}
	for _, service := range services.Items {
		uids["Service "+service.Name] = service.UID
	}
	return uids
}

func (p *project) portsAre(t *testing.T, namespace string, port int32) error {
	var services corev1.ServiceList
	if err := p.api.List(t.Context(), &services, client.InNamespace(namespace)); err != nil {
		return err
	}
	for _, service := range services.Items {
		if service.Spec.Ports[0].Port != port {
			return fmt.Errorf("%s has port %d", service.Name, service.Spec.Ports[0].Port)
		}
	}
	return nil
}
