package operator_test

import (
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// replacement is a Service that replaces another one, and what comes of it.
type replacement struct {
	prepare func(*custom)
	other   bool   // another Service has the port that it asks for
	says    string // empty: the old one is replaced
}

// Nothing makes room for a child that the API server refuses for another reason than what the old one holds.
func TestReplacedChildStaysIfTheNewOneIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]replacement{
		"the old one has its node port":         {},
		"another one has its node port":         {other: true, says: "provided port is already allocated"},
		"a policy refuses it":                   {prepare: func(c *custom) { c.forbid("services", `object.metadata.name != "b"`, "b is reserved", service("b")) }, says: "b is reserved"},
		"a quota is full with the old one":      {prepare: func(c *custom) { c.setQuota("services.nodeports", "1") }},
		"a quota is full with the old and more": {prepare: func(c *custom) { c.Create(nodePortService("theirs")); c.setQuota("services.nodeports", "2") }, says: "exceeded quota: small"},
	} {
		t.Run(name, func(t *testing.T) { test.run(t) })
	}
}

func nodePortService(name string) *corev1.Service {
	made := service(name)
	made.Spec.Type = corev1.ServiceTypeNodePort
	return made
}

func (r replacement) run(t *testing.T) {
	var port atomic.Int32
	exposed := func(name string) *corev1.Service {
		made := nodePortService(name)
		made.Spec.Ports[0].NodePort = port.Load()
		return made
	}
	c := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		if req.Parent.Spec.Text == "hello" {
			want.Services.Add(exposed("a"))
		} else {
			want.Services.Add(exposed("b"), operator.Replaces(service("a")))
		}
	}), nil)
	site, old := c.site("web"), service("a")
	c.says(site, allReady)
	c.Exists(old)
	c.Settled()
	port.Store(old.Spec.Ports[0].NodePort)
	if r.other {
		theirs := nodePortService("theirs")
		c.Create(theirs)
		port.Store(theirs.Spec.Ports[0].NodePort)
	}
	if r.prepare != nil {
		r.prepare(c)
	}
	c.touch(site, "renamed")
	if r.says == "" {
		c.Gone(old)
		c.Exists(service("b"))
		c.says(site, allReady)
		return
	}
	c.saysPart(site, r.says)
	c.Settled()
	before := old.UID
	if message := site.Status.Conditions[0].Message; strings.Contains(message, "add the option operator.Replaces") {
		t.Errorf("it advises what is done: %s", message)
	}
	if c.Get(old); old.UID != before || old.DeletionTimestamp != nil {
		t.Errorf("the old Service went")
	}
	c.lacks(service("b"))
}
