package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// statesOf are desired states of children, there and back. Each state is valid, and each change of it is one that
// an update allows.
var statesOf = []struct {
	name, kind string
	base       string   // the spec that all states have
	states     []string // what each of them adds
}{
	{"strategy of a Deployment", "apps/v1 Deployment", workload, []string{
		"", "strategy: {type: Recreate}", "", "strategy: {type: Recreate}", "strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 3}}",
		"strategy: {type: Recreate}", "paused: true",
	}},
	{"session affinity", "v1 Service", onPort80, []string{
		"", "sessionAffinity: ClientIP", "", "sessionAffinity: ClientIP\nsessionAffinityConfig: {clientIP: {timeoutSeconds: 60}}",
		"sessionAffinity: None", "sessionAffinity: ClientIP", "sessionAffinity: None",
	}},
	{"type of a Service", "v1 Service", onPort80, []string{
		"", "type: NodePort", "type: LoadBalancer", "type: LoadBalancer\nexternalTrafficPolicy: Local",
		"type: ClusterIP", "type: ExternalName\nexternalName: example.com", "", "type: LoadBalancer\nexternalTrafficPolicy: Local",
		"type: ExternalName\nexternalName: example.com", "type: NodePort", "internalTrafficPolicy: Local", "",
	}},
	{"egress", "networking.k8s.io/v1 NetworkPolicy", "podSelector: {}", []string{
		"ingress: [{}]", "ingress: [{}]\negress: [{}]", "ingress: [{}]", "egress: [{ports: [{port: 53}]}]", "policyTypes: [Egress]", "",
		"egress: [{}]",
	}},
	{"metrics and behaviour", "autoscaling/v2 HorizontalPodAutoscaler", "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}\nmaxReplicas: 3", []string{
		"", "behavior: {scaleDown: {stabilizationWindowSeconds: 10}}", "", "behavior: {scaleUp: {selectPolicy: Disabled}}", "minReplicas: 2",
		"metrics: [{type: ContainerResource, containerResource: {name: cpu, container: main, target: {type: Utilization, averageUtilization: 50}}}]", "",
	}},
	{"budget", "policy/v1 PodDisruptionBudget", "selector: {matchLabels: {app: web}}", []string{
		"minAvailable: 1", "maxUnavailable: 1", "minAvailable: 50%\nunhealthyPodEvictionPolicy: AlwaysAllow", "maxUnavailable: 1",
	}},
	{"jobs of a CronJob", "batch/v1 CronJob", "schedule: '* * * * *'\nsuspend: true", []string{
		"jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}}",
		"jobTemplate: {spec: {completionMode: Indexed, completions: 3, backoffLimitPerIndex: 1, template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}}",
		"concurrencyPolicy: Forbid\njobTemplate: {spec: {podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}, template: {spec: {restartPolicy: Never, containers: [{name: main, image: a}]}}}}",
		"jobTemplate: {spec: {template: {spec: {restartPolicy: OnFailure, containers: [{name: main, image: a}]}}}}",
	}},
	{"backends", "networking.k8s.io/v1 Ingress", "ingressClassName: web", []string{
		"defaultBackend: {service: {name: web, port: {number: 80}}}", "defaultBackend: {resource: {apiGroup: a.example.com, kind: Bucket, name: web}}",
		"defaultBackend: {service: {name: web, port: {name: http}}}", "rules: [{host: a.example.com}]",
	}},
	{"updates of a StatefulSet", "apps/v1 StatefulSet", workload + "\nserviceName: web", []string{
		"", "updateStrategy: {type: OnDelete}", "", "updateStrategy: {rollingUpdate: {partition: 2}}", "updateStrategy: {type: OnDelete}",
		"persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete}", "",
	}},
	{"updates of a DaemonSet", "apps/v1 DaemonSet", workload, []string{
		"", "updateStrategy: {type: OnDelete}", "", "updateStrategy: {type: OnDelete}", "updateStrategy: {rollingUpdate: {maxUnavailable: 2}}", "updateStrategy: {type: OnDelete}",
	}},
	{"probes", "apps/v1 Deployment", selector, containerWith(
		"", "livenessProbe: {httpGet: {port: 80}}", "livenessProbe: {exec: {command: [a]}}", "livenessProbe: {grpc: {port: 80}}", "livenessProbe: {tcpSocket: {port: 80}}",
		"livenessProbe: {httpGet: {port: 80, scheme: HTTPS}}", "livenessProbe: {grpc: {port: 80}}", "", "livenessProbe: {tcpSocket: {port: 80}}", "lifecycle: {preStop: {httpGet: {port: 80}}}",
		"lifecycle: {preStop: {exec: {command: [a]}}}", "image: 'a:latest'", "image: 'a:1'", "image: 'a:latest'",
	)},
	{"volumes", "apps/v1 Deployment", selector, podWith(
		"volumes: [{name: a, emptyDir: {}}]", "volumes: [{name: a, configMap: {name: a}}]", "volumes: [{name: a, secret: {secretName: a}}]", "volumes: [{name: a, hostPath: {path: /a}}]",
		"volumes: [{name: a, projected: {sources: [{configMap: {name: a}}]}}]", "volumes: [{name: a, downwardAPI: {items: [{path: a, fieldRef: {fieldPath: metadata.name}}]}}]",
		"volumes: [{name: a, iscsi: {targetPortal: a, iqn: 'iqn.2016-04.test:a', lun: 0}}]", "volumes: [{name: a, rbd: {monitors: [a], image: a}}]", "volumes: [{name: a, configMap: {name: a, defaultMode: 256}}]",
		"volumes: [{name: a, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]", "volumes: [{name: a, emptyDir: {}}]",
	)},
	{"Pods", "apps/v1 Deployment", selector, podWith(
		"", "hostNetwork: true", "", "dnsPolicy: None\ndnsConfig: {nameservers: [1.2.3.4]}", "", "terminationGracePeriodSeconds: 5", "",
		"topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]", "serviceAccountName: a", "", "serviceAccountName: b",
	)},
	{"unions in the items of a custom resource", "apply.opgen.dev/v1 Gadget", "size: 2", []string{
		"parts: [{name: p, a: {}}]", "parts: [{name: p, kind: B, b: {}}]", "parts: [{name: p}]", "parts: [{name: p, a: {deep: {}}}, {name: q, b: {}}]",
		"parts: [{name: q, a: {}}, {name: p, b: {y: 5}}]", "parts: [{name: p, a: {x: 3}}]", "", "parts: [{name: p}]",
	}},
	{"union of a custom resource", "apply.opgen.dev/v1 Gadget", "", []string{
		"store: {kind: Memory, memory: {}}", "store: {kind: Disk, disk: {}}", "store: {kind: Memory, memory: {size: 4}}", "store: {kind: Disk, disk: {class: fast}}",
		"store: {memory: {}}", "store: {kind: Disk}", "store: {kind: Disk, disk: {copies: 1}}", "", "store: {memory: {}}", "store: {kind: Disk, disk: {}}",
	}},
}

const (
	onPort80 = "selector: {app: web}\nports: [{port: 80}]"
	selector = "selector: {matchLabels: {app: web}}"
	workload = selector + "\ntemplate: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: a}]}}"
)

// podWith returns specs whose Pods have fields.
func podWith(fields ...string) (specs []string) {
	for _, text := range fields {
		specs = append(specs, fmt.Sprintf("template:\n  metadata: {labels: {app: web}}\n  spec:\n    containers: [{name: main, image: a}]\n%s", indent(text, "    ")))
	}
	return specs
}

// containerWith returns specs whose containers have fields.
func containerWith(fields ...string) (specs []string) {
	for _, text := range fields {
		if len(text) < 5 || text[:5] != "image" {
			text += "\nimage: a"
		}
		specs = append(specs, fmt.Sprintf("template:\n  metadata: {labels: {app: web}}\n  spec:\n    containers:\n    - name: main\n%s", indent(text, "      ")))
	}
	return specs
}

func indent(text, by string) string {
	var lines string
	for line := range strings.Lines(text) {
		lines += by + line
	}
	return lines
}

// stateOf returns a desired child, of its Go type if it has one.
func stateOf(t *testing.T, kind, spec string) client.Object {
	t.Helper()
	version, name, _ := strings.Cut(kind, " ")
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: web}\nspec:\n%s", version, name, indent(spec, "  "))), &u.Object); err != nil {
		t.Fatalf("%v:\n%s", err, spec)
	}
	typed, err := clientgoscheme.Scheme.New(u.GroupVersionKind())
	if err != nil {
		return u
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, typed, true); err != nil {
		t.Fatalf("%v:\n%s", err, spec)
	}
	return typed.(client.Object)
}

// fresh returns what a new child has of a desired state: its fields without identity, metadata and status, and without
// what the API server allocates.
func (c *childOnServer) fresh(desired client.Object) map[string]any {
	c.t.Helper()
	made := desired.DeepCopyObject().(client.Object)
	made.SetName("fresh")
	made.SetNamespace(c.namespace)
	if err := c.server.Create(c.t.Context(), made); err != nil {
		c.t.Fatal(err)
	}
	defer func() {
		if err := c.server.Delete(context.WithoutCancel(c.t.Context()), made); err != nil {
			c.t.Error(err)
		}
	}()
	return contentToCompare(c.t, made)
}

// contentToCompare returns an object's content without its identity, metadata and status. An address or a port that
// the API server has allocated only says that there is one.
func contentToCompare(t *testing.T, object client.Object) map[string]any {
	t.Helper()
	content, err := contentOf(object)
	if err != nil {
		t.Fatal(err)
	}
	content = runtime.DeepCopyJSON(payloadOf(content))
	spec, _ := content["spec"].(map[string]any)
	for _, name := range []string{"clusterIP", "healthCheckNodePort"} {
		if value, ok := spec[name]; ok && value != "None" {
			spec[name] = "allocated"
		}
	}
	if _, ok := spec["clusterIPs"]; ok {
		spec["clusterIPs"] = spec["clusterIP"]
	}
	ports, _ := spec["ports"].([]any)
	for _, port := range ports {
		if _, ok := port.(map[string]any)["nodePort"]; ok {
			port.(map[string]any)["nodePort"] = "allocated"
		}
	}
	return content
}

// A child has at each time the state that a new child would have, whatever it was before. It stays the same object,
// and nothing is written again.
func TestChildIsAsAFreshOneAfterEachChange(t *testing.T) {
	ways := longtest.Cases(t, []string{"created", "applied", "restarted", "of which only metadata is cached"}, 1, "each goes through all states")
	for _, test := range statesOf {
		for _, way := range ways {
			t.Run(test.name+", "+way, func(t *testing.T) {
				first := stateOf(t, test.kind, test.base+"\n"+test.states[0])
				c := startServer(t).child(first, Desired{Policies: declared.Policies{WhenImmutable: declared.RecreateIfImmutable}})
				c.applied, c.Metadata = way == "applied", way == "of which only metadata is cached"
				uid := c.settle(first).Object.GetUID()
				for i, state := range test.states[1:] {
					c.now = c.now.Add(time.Hour) // a return to an earlier state is postponed
					if way == "restarted" {
						c.restart()
					}
					desired := stateOf(t, test.kind, test.base+"\n"+state)
					before := c.made()
					outcome, err := c.reconcile(desired)
					for tries := 0; errors.As(err, new(ErrStale)) && tries < 20; tries++ {
						outcome, err = c.reconcile(desired)
					}
					requests := c.made()
					if err != nil || outcome.Action != Updated {
						t.Fatalf("state %d, %q: the child is %q, %v (requests %s%s)", i+1, state, outcome.Action, err, before, requests)
					}
					live := c.live()
					if diff := cmp.Diff(c.fresh(desired), contentToCompare(t, live)); diff != "" {
						t.Fatalf("state %d, %q: the child is not as a fresh one (-fresh +child, requests %s):\n%s", i+1, state, requests, diff)
					}
					if live.GetUID() != uid {
						t.Fatalf("state %d: the child was recreated", i+1)
					}
					if outcome := c.settle(desired); outcome.Action != Unchanged {
						t.Fatalf("state %d, %q: then the child is %s", i+1, state, outcome.Action)
					}
				}
			})
		}
	}
}
