package operator_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/process"
	"github.com/opgen-dev/opgen/runtime/operator"
)

// forbid has a policy refuse the creation of objects of a kind in the test's namespace, and waits until it does.
func (c *custom) forbid(resources, expression, message string, refused client.Object) {
	c.t.Helper()
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: c.Namespace},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
				Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{resources}},
			}}}},
			Validations: []admissionregistrationv1.Validation{{Expression: expression, Message: message}},
		},
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: c.Namespace},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: policy.Name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			MatchResources: &admissionregistrationv1.MatchResources{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": c.Namespace}}},
		},
	}
	for _, object := range []client.Object{policy, binding} {
		if err := c.Client.Create(c.t.Context(), object); err != nil {
			c.t.Fatal(err)
		}
		c.t.Cleanup(func() { _ = c.Client.Delete(context.Background(), object) })
	}
	refused.SetNamespace(c.Namespace)
	c.Eventually("the policy is in force", func() error {
		err := c.Client.Create(c.t.Context(), refused.DeepCopyObject().(client.Object), client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), message) {
			return fmt.Errorf("it says %w", err)
		}
		return nil
	})
}

// sized returns a Pod that asks for some processor time.
func sized(name, image, cpu string) *corev1.Pod {
	made := pod(name, image)
	made.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}
	return made
}

// setQuota lets the test's namespace use 1 of a resource, and waits until what it uses is counted.
func (c *custom) setQuota(name corev1.ResourceName, used string) {
	c.t.Helper()
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "small"}, Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{name: resource.MustParse("1")}}}
	c.Create(quota)
	c.Eventually("the quota counts", func() error {
		c.Get(quota)
		if is := quota.Status.Used[name]; is.Cmp(resource.MustParse(used)) != 0 {
			return fmt.Errorf("it counts %s", is.String())
		}
		return nil
	})
}

// hostname is a change of a Pod that it takes a new one for.
func hostname(name string) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.Hostname = name } }

func cpu(text string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse(text)
	}
}

// forbidHostname has a policy refuse Pods with a hostname.
func forbidHostname(c *custom) {
	probe := pod("probe", "web")
	probe.Spec.Hostname = "refused"
	c.forbid("pods", `!has(object.spec.hostname) || object.spec.hostname != "refused"`, "nobody may be called so", probe)
}

// recreation is a change of a Pod, and what comes of it.
type recreation struct {
	prepare func(*custom) // nil: nothing
	change  func(*corev1.Pod)
	options func(observed *corev1.Pod) []operator.ChildOption // nil: Recreate
	says    string                                            // empty: the Pod is recreated
	evict   bool
}

// A child is deleted to be recreated only if the API server would take the new one.
func TestChildIsRecreatedOnlyIfTheNewOneIsAccepted(t *testing.T) {
	t.Parallel()
	of := func(options ...operator.ChildOption) func(*corev1.Pod) []operator.ChildOption {
		return func(*corev1.Pod) []operator.ChildOption { return options }
	}
	for name, test := range map[string]recreation{
		"a policy refuses it":                            {prepare: forbidHostname, change: hostname("refused"), says: "nobody may be called so"},
		"a policy refuses it, in a rolling update":       {prepare: forbidHostname, change: hostname("refused"), options: of(operator.RollingRecreate), says: "nobody may be called so"},
		"a policy refuses it, of an immutable field":     {prepare: forbidHostname, change: hostname("refused"), options: of(operator.InPlace, operator.RecreateIfImmutable), says: "is invalid"},
		"a policy refuses it, for an eviction":           {prepare: forbidHostname, change: hostname("refused"), evict: true, says: "nobody may be called so"},
		"a policy refuses it, and its dependents stay":   {prepare: forbidHostname, change: hostname("refused"), options: of(operator.Recreate, operator.OrphanDependents), says: "nobody may be called so"},
		"a policy refuses it, and Sync wants another":    {prepare: forbidHostname, change: hostname("refused"), options: wantAnother, says: "nobody may be called so"},
		"a policy accepts it":                            {prepare: forbidHostname, change: hostname("accepted")},
		"a quota of Pods is full with the old one":       {prepare: func(c *custom) { c.setQuota("pods", "1") }, change: hostname("two")},
		"a quota of processors is full with the old one": {prepare: func(c *custom) { c.setQuota("requests.cpu", "800m") }, change: cpu("900m")},
		"a quota is too small without the old one":       {prepare: func(c *custom) { c.setQuota("requests.cpu", "800m") }, change: cpu("1500m"), says: "exceeded quota: small"},
		"a quota is full with others":                    {prepare: func(c *custom) { c.Create(sized("theirs", "web", "700m")); c.setQuota("requests.cpu", "1500m") }, change: hostname("two"), says: "exceeded quota: small"},
		"its priority class does not exist":              {change: func(p *corev1.Pod) { p.Spec.PriorityClassName = "missing" }, says: "no PriorityClass with name missing was found"},
		"its runtime class does not exist":               {change: func(p *corev1.Pod) { p.Spec.RuntimeClassName = new("missing") }, says: `RuntimeClass "missing" not found`},
		"its spec is invalid":                            {change: func(p *corev1.Pod) { p.Spec.Containers[0].ImagePullPolicy = "Sometimes" }, says: "imagePullPolicy"},
	} {
		t.Run(name, func(t *testing.T) { test.run(t) })
	}
}

// wantAnother wants a Pod recreated that somebody has labelled so, and changes nothing otherwise.
func wantAnother(observed *corev1.Pod) []operator.ChildOption {
	return []operator.ChildOption{operator.OnDelete, operator.RecreateIf(observed.Labels["recreate"] == "yes")}
}

func (r recreation) run(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		made, options := sized("web", "web:1", "800m"), []operator.ChildOption{operator.Recreate}
		if observed, exists := req.Children.Pods.Get("web"); exists && r.options != nil {
			options = r.options(observed)
		}
		if req.Parent.Spec.Text != "hello" {
			r.change(made)
		}
		want.Pods.Add(made, options...)
	}), func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			described := kinds(observed, desired)
			described[3].Evict = r.evict
			return described
		}
	})
	site, child := c.site("web"), named(&corev1.Pod{}, "web")
	c.MakeReady(child)
	c.says(site, allReady)
	c.Settled()
	old := child.DeepCopy()
	if r.prepare != nil {
		r.prepare(c)
	}
	c.Update(child, func() { metav1.SetMetaDataLabel(&child.ObjectMeta, "recreate", "yes") })
	c.touch(site, "changed")
	if r.says == "" {
		c.Gone(old)
		c.Exists(child)
		return
	}
	c.saysPart(site, r.says)
	c.Settled()
	if c.Get(child); child.UID != old.UID || child.DeletionTimestamp != nil {
		t.Errorf("the old Pod went")
	}
	if r.options != nil {
		return // one way is enough to show that it goes on
	}
	c.touch(site, "hello")
	c.says(site, allReady)
	if c.Get(child); child.UID != old.UID {
		t.Errorf("the old Pod went once it was desired again")
	}
}

// What is refused is asked less and less often, and done once it is accepted.
func TestRefusedRecreationIsDoneOnceItIsAccepted(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		made := pod("web", "web:1")
		if req.Parent.Spec.Text != "hello" {
			made.Spec.PriorityClassName = "later-" + req.Parent.Namespace
		}
		want.Pods.Add(made)
	}), nil)
	site, child := c.site("web"), named(&corev1.Pod{}, "web")
	c.MakeReady(child)
	c.says(site, allReady)
	c.Settled()
	old := child.DeepCopy()
	c.touch(site, "changed")
	c.saysPart(site, "no PriorityClass")
	c.Settled()
	before := len(c.Requests())
	time.Sleep(5 * time.Second)
	if sent := c.Requests()[before:]; len(sent) > 8 {
		t.Errorf("it sent %d requests in 5 s: %v", len(sent), sent)
	}
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "later-" + c.Namespace}, Value: 1}
	if err := c.Client.Create(t.Context(), class); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Client.Delete(context.Background(), class) })
	c.Gone(old)
	c.Exists(child)
}

// A Service without an address and ports is recreated as it is desired.
func TestHeadlessServiceWithoutPortsIsRecreated(t *testing.T) {
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		made := service("web")
		made.Spec.ClusterIP, made.Spec.Ports = corev1.ClusterIPNone, nil
		made.Spec.PublishNotReadyAddresses = req.Parent.Spec.Text != "hello"
		want.Services.Add(made, operator.Recreate)
	}), nil)
	site, old := c.site("web"), service("web")
	c.says(site, allReady)
	c.Exists(old)
	c.Settled()
	c.touch(site, "changed")
	c.Gone(old)
	c.Exists(service("web"))
	c.says(site, allReady)
}

// silent is a transport that answers dry runs of creations as the API server does for a webhook that takes none.
type silent struct{ next http.RoundTripper }

func (t silent) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodPost || request.URL.Query().Get("dryRun") != "All" {
		return t.next.RoundTrip(request)
	}
	body := `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"BadRequest","message":"admission webhook \"old.example.com\" does not support dry run","code":400}`
	return &http.Response{StatusCode: http.StatusBadRequest, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
}

// An answer that cannot be had is said, and does not hold.
func TestChildIsRecreatedWhereNobodyCanTell(t *testing.T) {
	sync := desire(func(want *Desired) { want.Pods.Add(pod("web", "web:1")) })
	f := before(t)
	a := &author{sync: sync}
	f.replicaWith(a, func(settings *process.Settings) { settings.LeaderElect = false }, func(config *rest.Config) {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return silent{next} })
	})
	old := named(&corev1.Pod{}, "web")
	f.Exists(old)
	a.setSync(desire(func(want *Desired) {
		made := pod("web", "web:1")
		hostname("two")(made)
		want.Pods.Add(made)
	}))
	f.annotate(pokeKey, "changed")
	f.Gone(old)
	f.Exists(named(&corev1.Pod{}, "web"))
	f.Eventually("an Event says it", func() error {
		list := new(eventsv1.EventList)
		if err := f.Client.List(t.Context(), list, client.InNamespace(f.Namespace)); err != nil {
			return err
		}
		for _, event := range list.Items {
			if event.Reason == "SuccessorUnknown" && strings.Contains(event.Note, "does not support dry run") {
				return nil
			}
		}
		return errors.New("there is none")
	})
}
