package operator_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// commands is an entry of ConfigMaps with the label command, which Sync may have deleted.
func commands(related *Related) []operator.RelatedKind {
	return []operator.RelatedKind{{Object: &corev1.ConfigMap{}, Selector: "command", Delete: true, Fields: operator.BindRelated(&related.ConfigMaps)}}
}

// command returns a ConfigMap that the entry of commands selects.
func command(name, value string) *corev1.ConfigMap {
	made := configMap(name, value)
	made.Labels = map[string]string{"command": ""}
	return made
}

// obey has every command deleted that says go, and tells so in the status.
func obey(_ context.Context, req *customRequest) (*Response, error) {
	response := &Response{Status: new(testapi.Status)}
	for object := range req.Related.ConfigMaps.All() {
		if object.Data["key"] == "go" {
			response.Delete = append(response.Delete, object)
			response.Status.Phase += object.Name + ";"
		}
	}
	return response, nil
}

// startObeying runs an operator whose Sync has commands deleted.
func startObeying(t *testing.T, configure func(*operatortest.Config), sync customFunction, change func(*definition)) *custom {
	t.Helper()
	t.Parallel()
	return addCustomWith(t, func(config *operatortest.Config) {
		if configure != nil {
			configure(config)
		}
	}, sync, func(d *definition) {
		d.Related = commands
		if change != nil {
			change(d)
		}
	}, func(*operator.Options) {})
}

// deletes returns how many requests have deleted ConfigMaps.
func (c *custom) deletes() (count int) {
	for _, request := range c.Requests() {
		if request.Verb == "delete" && request.Resource == "configmaps" {
			count++
		}
	}
	return count
}

func TestRelatedObjectsAreDeletedAfterTheStatusIsWritten(t *testing.T) {
	c := startObeying(t, nil, obey, nil)
	site := c.site("web")
	c.says(site, allReady)
	before := len(c.Writes())
	stays, goes := command("stays", "wait"), command("goes", "go")
	c.Create(stays, goes)
	c.Gone(goes)
	c.phase(site, "")
	c.Settled()
	var writes []string
	for _, request := range c.Writes()[before:] {
		if request.Resource != "events" {
			writes = append(writes, request.String())
		}
	}
	if len(writes) != 3 || !strings.Contains(writes[0], "sites/status") || !strings.Contains(writes[1], "delete") || !strings.Contains(writes[2], "sites/status") {
		t.Errorf("the writes are %q, want the status, the deletion, and the status without it", writes)
	}
	settled := c.Settled()
	c.Reconciled(site)
	if now := c.Settled(); now != settled {
		t.Errorf("%d requests of a converged parent", now-settled)
	}
	c.Exists(stays)
}

// Sync decides by a cache. What was created under the name meanwhile is another object.
func TestARelatedObjectThatWasCreatedAgainStays(t *testing.T) {
	again := &againTransport{}
	c := startObeying(t, func(config *operatortest.Config) { config.Transport = again.wrap }, obey, nil)
	again.do = func() error {
		old := command("a", "")
		old.Namespace = c.Namespace
		if err := c.Client.Delete(context.Background(), old); err != nil {
			return err
		}
		created := command("a", "wait")
		created.Namespace = c.Namespace
		return c.Client.Create(context.Background(), created)
	}
	site := c.site("web")
	c.says(site, allReady)
	object := command("a", "go")
	c.Create(object)
	old := object.UID
	c.Eventually("the operator has tried to delete it", func() error {
		if c.deletes() == 0 {
			return errors.New("it has not")
		}
		return again.err
	})
	c.phase(site, "")
	c.Settled()
	if !c.Get(object) || object.UID == old || object.DeletionTimestamp != nil {
		t.Errorf("the object under the name is %s, and it was %s", object.UID, old)
	}
	c.says(site, allReady)
	if again.err != nil || c.deletes() != 1 {
		t.Errorf("%d deletions; %v", c.deletes(), again.err)
	}
}

// againTransport does something before the first deletion of a ConfigMap is sent, or the first request with
// another verb.
type againTransport struct {
	verb string
	do   func() error
	done bool
	err  error
}

func (a *againTransport) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		if request.Method == cmp.Or(a.verb, http.MethodDelete) && strings.Contains(request.URL.Path, "/configmaps/") && !a.done {
			a.done, a.err = true, a.do()
		}
		return next.RoundTrip(request)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// Sync asks for the deletion again, whatever becomes of the request or of the operator.
func TestADeletionOfARelatedObjectIsRepeatedUntilItIsMade(t *testing.T) {
	t.Parallel()
	for _, fault := range []operatortest.Fault{
		{Verb: "delete", Resource: "configmaps", Nth: 1, When: operatortest.Before, What: operatortest.Crash},
		{Verb: "delete", Resource: "configmaps", Nth: 1, When: operatortest.After, What: operatortest.Crash},
		{Verb: "delete", Resource: "configmaps", Nth: 1, When: operatortest.Before, What: operatortest.Lose},
		{Verb: "delete", Resource: "configmaps", Nth: 1, When: operatortest.After, What: operatortest.Lose},
		{Verb: "delete", Resource: "configmaps", Nth: 1, When: operatortest.Before, What: operatortest.TimeTravel},
		{Verb: "delete", Resource: "configmaps", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseInternalError, Once: true},
		{Verb: "delete", Resource: "configmaps", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseConflict, Once: true},
		{Verb: "delete", Resource: "configmaps", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseNotFound, Once: true},
		{Verb: "patch", Resource: "sites/status", Nth: 1, When: operatortest.After, What: operatortest.Crash},
		{Verb: "patch", Resource: "sites/status", Nth: 1, When: operatortest.Instead, What: operatortest.RefuseConflict, Once: true},
	} {
		t.Run(fault.String(), func(t *testing.T) {
			c := startObeying(t, nil, obey, nil)
			site := c.site("web")
			c.says(site, allReady)
			c.Settled()
			c.Inject(fault)
			goes, stays := command("a", "go"), command("b", "wait")
			c.Create(goes, stays)
			c.Gone(goes)
			c.phase(site, "")
			c.says(site, allReady)
			c.Settled()
			if c.Exists(stays); c.Struck(fault) == 0 {
				t.Error("the fault has struck nothing")
			}
		})
	}
}

// Finalize may delete and let the parent go in one answer: the parent stays until the deletion is made.
func TestFinalizeDeletesRelatedObjectsBeforeTheParentGoes(t *testing.T) {
	c := startObeying(t, nil, customDesire(func(*customRequest, *Desired) {}), func(d *definition) {
		d.Finalize = func(ctx context.Context, req *customRequest) (*Response, error) {
			response, err := obey(ctx, req)
			response.Finalized = true
			return response, err
		}
	})
	thaw := c.Deny(command("", ""), "delete", metav1.Status{Message: "a change freeze"})
	site, object := c.site("web"), command("a", "go")
	c.Create(object)
	c.says(site, allReady)
	c.Exists(object)
	c.Delete(site)
	c.saysPart(site, "a change freeze")
	c.Restart()
	c.Settled()
	c.Exists(site, object)
	thaw()
	c.Reconcile(site)
	c.Gone(site, object)
}

func TestACommandThatIsCreatedAgainAndAgainIsDeletedLessOften(t *testing.T) {
	c := startObeying(t, nil, obey, nil)
	site := c.site("web")
	c.says(site, allReady)
	for range 2 {
		object := command("a", "go")
		c.Create(object)
		c.Gone(object)
	}
	object := command("a", "go")
	c.Create(object)
	c.says(site, "ConfigMap "+c.Namespace+"/a: somebody keeps creating it, and it is deleted less and less often until that stops")
	c.Settled()
	c.Exists(object)
	c.Advance(time.Minute)
	c.Gone(object)
	c.says(site, allReady)
}

// A release whose Sync deletes what it must not has the brake on it, as one that prunes has.
func TestDeletionsOfRelatedObjectsThatNothingExplainsMeetTheBrake(t *testing.T) {
	const sites, limit = 6, 3
	c := startObeying(t, nil, customDesire(func(*customRequest, *Desired) {}), func(d *definition) {
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{{Object: &corev1.ConfigMap{}, NameFrom: ".metadata.name", Delete: true, Fields: operator.BindRelated(&related.ConfigMaps)}}
		}
	})
	c.limit = func(o *operator.Options) { o.PruneLimit, o.PruneLimitPercent = limit, 0 }
	all, objects := make([]*testapi.Site, sites), make([]*corev1.ConfigMap, sites)
	for i := range all {
		name := fmt.Sprint("site-", i)
		objects[i] = configMap(name, "go")
		c.Create(objects[i])
		all[i] = c.site(name)
		c.says(all[i], allReady)
	}
	c.Settled()
	c.setSync(obey)
	c.Restart()
	spared := func() (sites []*testapi.Site) {
		for _, site := range all {
			c.Get(site)
			if shown := meta.FindStatusCondition(site.Status.Conditions, "Ready"); shown != nil && shown.Reason == "PruneHeld" {
				sites = append(sites, site)
			}
		}
		return sites
	}
	c.Eventually("those beyond the limit keep their objects", func() error {
		if found := len(spared()); found != sites-limit {
			return fmt.Errorf("%d do", found)
		}
		return nil
	})
	c.Restart() // which does not refill the brake
	c.Settled()
	left := slices.DeleteFunc(slices.Clone(objects), func(object *corev1.ConfigMap) bool { return !c.Get(object) })
	if len(left) != sites-limit || len(spared()) != sites-limit {
		t.Fatalf("%d objects are left, and %d Sites say so", len(left), len(spared()))
	}
	edited := spared()[0]
	message := meta.FindStatusCondition(edited.Status.Conditions, "Ready").Message
	if !strings.Contains(message, "which Sync does not desire or deletes") {
		t.Errorf("the message is %q", message)
	}
	c.touch(edited, "edited")
	c.Gone(configMap(edited.Name, ""))
	found := releaseCommand.FindStringSubmatch(message)
	if found == nil {
		t.Fatalf("no command in %q", message)
	}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: found[1], Namespace: found[2]}}
	c.Update(lease, func() { metav1.SetMetaDataAnnotation(&lease.ObjectMeta, found[3], found[4]) })
	for _, object := range objects {
		c.Gone(object)
	}
	for _, site := range all {
		c.says(site, allReady)
	}
}

func TestAnOperatorThatObservesDeletesNoRelatedObject(t *testing.T) {
	c := startObeying(t, nil, obey, nil)
	site := c.site("web")
	c.says(site, allReady)
	c.limit = func(o *operator.Options) { o.Observe = true }
	c.Restart()
	object := command("a", "go")
	c.Create(object)
	c.Settled()
	c.Exists(object)
	if c.deletes() > 0 {
		t.Error("a deletion was sent")
	}
	if err := c.Client.Get(t.Context(), client.ObjectKeyFromObject(object), object); apierrors.IsNotFound(err) {
		t.Error("the object is gone")
	}
}
