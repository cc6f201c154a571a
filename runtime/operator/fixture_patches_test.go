package operator_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// shared is a ConfigMap of others, which Sites patch. Its labels select it.
func shared(name string) *corev1.ConfigMap {
	made := configMap(name, "theirs")
	made.Labels = map[string]string{"shared": "yes"}
	return made
}

// patchShared is a Sync that patches the shared ConfigMaps as the text of its Site says, such as
// "a:color=red a:size=l b:color=blue". A size is an annotation, all else is data.
func patchShared(req *customRequest, want *Desired) {
	patches := map[string]*corev1.ConfigMap{}
	var order []string
	for word := range strings.FieldsSeq(req.Parent.Spec.Text) {
		name, field, _ := strings.Cut(word, ":")
		key, value, _ := strings.Cut(field, "=")
		if patches[name] == nil {
			patches[name], order = &corev1.ConfigMap{Data: map[string]string{}}, append(order, name)
		}
		if key == "size" {
			patches[name].Annotations = map[string]string{key: value}
		} else {
			patches[name].Data[key] = value
		}
	}
	for _, name := range order {
		if object, ok := req.Related.ConfigMaps.Get(name); ok {
			want.Patches.ConfigMaps.Add(object, patches[name])
		}
	}
}

// patchesOf are the sets of an operator that patches ConfigMaps alone.
func patchesOf(desired *Desired) []operator.Patches {
	return []operator.Patches{operator.BindPatches(&desired.Patches.ConfigMaps)}
}

// startPatching runs an operator whose Sync patches the ConfigMaps that are shared. change may be nil.
func startPatching(t *testing.T, sync customFunction, change func(*definition)) *custom {
	t.Helper()
	t.Parallel()
	return addPatching(t, nil, sync, change, func(*operator.Options) {})
}

// addPatching runs one more in the same test, also after configure has completed its configuration.
func addPatching(t *testing.T, configure func(*operatortest.Config), sync customFunction, change func(*definition), options func(*operator.Options)) *custom {
	t.Helper()
	return addCustomWith(t, func(config *operatortest.Config) {
		if configure != nil {
			configure(config)
		}
	}, sync, func(d *definition) {
		d.Related = func(related *Related) []operator.RelatedKind {
			return []operator.RelatedKind{{Object: &corev1.ConfigMap{}, Selector: "shared=yes", Patch: true, Fields: operator.BindRelated(&related.ConfigMaps)}}
		}
		d.Patches = patchesOf
		if change != nil {
			change(d)
		}
	}, options)
}

// hasData waits until the data of a ConfigMap is this, such as "color=red,key=theirs".
func (c *custom) hasData(object *corev1.ConfigMap, data string) {
	c.t.Helper()
	c.Eventually(object.Name+" has "+data, func() error {
		if !c.Get(object) {
			return fmt.Errorf("there is none")
		}
		if is := dataOf(object); is != data {
			return fmt.Errorf("it is %s", is)
		}
		return nil
	})
}

// dataOf returns the data of a ConfigMap as a text.
func dataOf(object *corev1.ConfigMap) string {
	var pairs []string
	for key, value := range object.Data {
		pairs = append(pairs, key+"="+value)
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}

// unpatched fails the test if a ConfigMap carries a mark of the operator, or has a field manager of it.
func (c *custom) unpatched(object *corev1.ConfigMap) {
	c.t.Helper()
	c.Get(object)
	for _, keys := range []map[string]string{object.Labels, object.Annotations} {
		for key := range keys {
			if strings.Contains(key, c.group) {
				c.t.Errorf("%s has the mark %s", object.Name, key)
			}
		}
	}
	for _, entry := range object.ManagedFields {
		if strings.HasPrefix(entry.Manager, "opgen/") && strings.Contains(entry.Manager, c.group) {
			c.t.Errorf("%s has fields of %s", object.Name, entry.Manager)
		}
	}
}

// writeAs writes an object as another field manager.
func (c *custom) writeAs(manager string, object *corev1.ConfigMap, change func()) {
	c.t.Helper()
	c.Eventually(manager+" has written "+object.Name, func() error {
		c.Get(object)
		change()
		return c.Client.Update(context.Background(), object, client.FieldOwner(manager))
	})
}

// requestsOf returns the requests about shared ConfigMaps since n of all requests.
func (c *custom) requestsOf(n int) (requests []string) {
	for _, request := range c.Requests()[n:] {
		if request.Resource == "configmaps" {
			requests = append(requests, fmt.Sprintf("%s %s", request.Verb, request.Name))
		}
	}
	return requests
}

// noPatches is a Sync that desires nothing.
func noPatches(context.Context, *customRequest) (*Response, error) {
	return &Response{Children: new(Desired), Status: &testapi.Status{Phase: "Synced"}}, nil
}
