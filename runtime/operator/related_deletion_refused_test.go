package operator_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// The status keeps what it said while a deletion is refused, and is not written with each attempt.
func TestARefusedDeletionOfARelatedObjectIsReported(t *testing.T) {
	c := startObeying(t, nil, obey, nil)
	thaw := c.Deny(command("", ""), "delete", metav1.Status{Message: "a change freeze"})
	site := c.site("web")
	c.says(site, allReady)
	object := command("a", "go")
	c.Create(object)
	c.saysPart(site, "delete ConfigMap "+c.Namespace+"/a: ", "a change freeze")
	if shown := meta.FindStatusCondition(site.Status.Conditions, "Ready"); shown.Reason != "Forbidden" || site.Status.Phase != "a;" {
		t.Errorf("the reason is %s, and the phase is %q", shown.Reason, site.Status.Phase)
	}
	c.Settled()
	written, tried := site.ResourceVersion, c.Sent()
	c.Reconcile(site) // the next attempt
	c.Settled()
	if c.Get(site); site.ResourceVersion != written || len(c.Sent()) == len(tried) {
		t.Errorf("the status was written again, or nothing was tried: version %s, before %s, %d requests", site.ResourceVersion, written, len(c.Sent())-len(tried))
	}
	thaw()
	c.Reconcile(site)
	c.Gone(object)
	c.says(site, allReady)
}

// Without the key in the spec file the role lacks the right, and the message says so.
func TestDeletingRelatedObjectsNeedsTheGeneratedRight(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ keys, says string }{
		{"", "the operator's role does not allow it: make deploy applies the generated role"},
		{", delete: true", allReady},
	} {
		t.Run(test.says, func(t *testing.T) {
			roles := generateRoles(t, siteWithRelated("{apiVersion: v1, kind: ConfigMap, selector: command"+test.keys+"}"))
			c := startObeying(t, func(config *operatortest.Config) { config.Roles, config.LacksRights = roles, test.keys == "" }, obey, func(d *definition) { d.Kinds = nil })
			site, object := c.site("web"), command("a", "go")
			c.Create(object)
			if test.keys != "" {
				c.Gone(object)
			}
			c.saysPart(site, test.says)
			if test.keys == "" {
				c.Exists(object)
			}
		})
	}
}

func TestAnAnswerThatDeletesWhatItMustNotIsInvalid(t *testing.T) {
	t.Parallel()
	child := configMap("child", "")
	child.Labels = map[string]string{"command": ""}
	for name, test := range map[string]struct {
		delete func(*customRequest, *Response)
		says   string
	}{
		"nil": {func(_ *customRequest, r *Response) { r.Delete = append(r.Delete, (*corev1.ConfigMap)(nil)) }, "Delete lists an object that is nil"},
		"an object of the author's": {func(req *customRequest, r *Response) {
			r.Delete = append(r.Delete, named(configMap("other", ""), "other"))
		},
			"ConfigMap other cannot be deleted: it is not among the related objects of this request, as Related of the request has them"},
		"the name of a related object": {func(req *customRequest, r *Response) {
			object, _ := req.Related.ConfigMaps.Get("a")
			object.UID = "another"
			r.Delete = append(r.Delete, object)
		}, "ConfigMap %s/a cannot be deleted: it is not among the related objects of this request, as Related of the request has them"},
		"an entry without the key": {func(req *customRequest, r *Response) {
			for namespace := range req.Related.Namespaces.All() {
				r.Delete = append(r.Delete, namespace)
			}
		}, "Namespace %s cannot be deleted: write delete: true on its entry under operator.related, and run opgen generate"},
		"a child": {func(req *customRequest, r *Response) {
			if found, ok := req.Related.ConfigMaps.Get("child"); ok {
				r.Delete = append(r.Delete, found)
			}
		}, "ConfigMap %s/child cannot be deleted as a related object: it is a child of this parent, which is deleted once it is left out of Children"},
		"an object that becomes a child": {func(req *customRequest, r *Response) {
			r.Children.ConfigMaps.Add(command("a", "go"), operator.AdoptForce)
			found, _ := req.Related.ConfigMaps.Get("a")
			r.Delete = append(r.Delete, found)
		}, "ConfigMap %s/a cannot be deleted as a related object: it is a child of this parent, which is deleted once it is left out of Children"},
	} {
		t.Run(name, func(t *testing.T) {
			c := startObeying(t, nil, func(_ context.Context, req *customRequest) (*Response, error) {
				response := &Response{Children: new(Desired)}
				response.Children.ConfigMaps.Add(child.DeepCopy())
				if _, ok := req.Related.ConfigMaps.Get("a"); ok {
					test.delete(req, response)
				}
				return response, nil
			}, func(d *definition) {
				d.Related = func(related *Related) []operator.RelatedKind {
					return append(commands(related), operator.RelatedKind{
						Object: &corev1.Namespace{}, SelectorFrom: ".metadata.annotations", Fields: operator.BindRelated(&related.Namespaces),
					})
				}
			})
			site := site("web")
			site.Labels, site.Annotations = map[string]string{c.group: ""}, map[string]string{"kubernetes.io/metadata.name": c.Namespace}
			c.Create(site)
			c.says(site, allReady)
			objects := []client.Object{command("a", "go"), configMap("other", "")}
			c.Create(objects...)
			says := test.says
			if strings.Contains(says, "%s") {
				says = fmt.Sprintf(says, c.Namespace)
			}
			c.says(site, says)
			c.Settled()
			c.Exists(append(objects, child.DeepCopy())...)
			if c.deletes() > 0 {
				t.Error("something was deleted")
			}
		})
	}
}

func TestNothingIsDeletedWhereSomethingFails(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*Response) error{
		"Sync":    func(*Response) error { return errors.New("no database") },
		"a child": func(r *Response) error { r.Children.ConfigMaps.Add(configMap("Not_A_Name", "")); return nil },
		"a child that waits": func(r *Response) error {
			first := named(&corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "a"}}}}, "first")
			r.Children.Pods.Add(first)
			r.Children.ConfigMaps.Add(configMap("second", ""), operator.After(first))
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := startObeying(t, nil, func(ctx context.Context, req *customRequest) (*Response, error) {
				response, _ := obey(ctx, req)
				response.Children = new(Desired)
				if req.Parent.Spec.Text != "hello" {
					return response, nil
				}
				return response, change(response)
			}, nil)
			site, object := c.site("web"), command("a", "go")
			c.Create(object)
			c.phase(site, "a;")
			c.Settled()
			c.Exists(object)
			if c.deletes() > 0 {
				t.Error("a deletion was tried")
			}
			c.touch(site, "well")
			c.Gone(object)
		})
	}
}

// The API server refuses what Sync says in the status, and so nothing tells that the command was taken.
func TestNothingIsDeletedWhereTheStatusIsRefused(t *testing.T) {
	c := startObeying(t, nil, func(ctx context.Context, req *customRequest) (*Response, error) {
		response, err := obey(ctx, req)
		if req.Parent.Spec.Text == "hello" {
			response.Conditions = []metav1.Condition{{Type: "Warm", Status: "Perhaps", Reason: "Heated"}}
		}
		return response, err
	}, nil)
	site, object := c.site("web"), command("a", "go")
	c.Create(object)
	c.saysPart(site, "Perhaps")
	c.Exists(object)
	if c.deletes() > 0 {
		t.Error("a deletion was tried")
	}
	c.touch(site, "well")
	c.Gone(object)
}
