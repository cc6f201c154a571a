package listmap

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

type object = map[string]any

var (
	service    = schema.GroupVersionKind{Version: "v1", Kind: "Service"}
	deployment = schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "Deployment"}
)

func TestCheckNamesWhatIsThereTwice(t *testing.T) {
	ports := func(ports ...any) object { return object{"spec": object{"ports": ports}} }
	container := func(fields object) object {
		return object{"spec": object{"template": object{"spec": object{"containers": []any{object{"name": "first"}, fields}}}}}
	}
	for _, test := range []struct {
		name   string
		kind   schema.GroupVersionKind
		object object
		want   string
	}{
		{"nothing", service, ports(object{"port": int64(80)}, object{"port": int64(81)}), ""},
		{"the same port of two protocols", service, ports(object{"port": int64(53)}, object{"port": int64(53), "protocol": "UDP"}), ""},
		{"a port with the default and one that names it", service, ports(object{"port": int64(53)}, object{"port": int64(53), "protocol": "TCP"}),
			"spec.ports[0] and spec.ports[1] are both port 53, protocol TCP: items of this list must differ in that"},
		{"env of a second container", deployment, container(object{"name": "main", "env": []any{object{"name": "A"}, object{"name": "B"}, object{"name": "A"}}}),
			"spec.template.spec.containers[1].env[0] and spec.template.spec.containers[1].env[2] are both name A: items of this list must differ in that"},
		{"a container", deployment, container(object{"name": "first"}),
			"spec.template.spec.containers[0] and spec.template.spec.containers[1] are both name first: items of this list must differ in that"},
		{"an atomic list", deployment, container(object{"name": "main", "args": []any{"a", "a"}}), ""},
		{"a kind that is not known", schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Service"}, ports(object{"port": int64(80)}, object{"port": int64(80)}), ""},
	} {
		got := ""
		if err := CheckDistinct(test.kind, test.object); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestKeysHaveDefaults(t *testing.T) {
	spec := Of(service).Field("spec")
	if got, want := spec.Keys("ports", object{"port": int64(80)}), (object{"port": int64(80), "protocol": "TCP"}); !reflect.DeepEqual(got, want) {
		t.Errorf("keys are %v, want %v", got, want)
	}
	if got := spec.Keys("externalIPs", nil); got != nil {
		t.Errorf("keys of an atomic list are %v", got)
	}
	pod := Of(deployment).Field("spec").Field("template").Field("spec")
	if got := pod.Field("containers").Keys("env", object{"name": "A", "value": "x"}); !reflect.DeepEqual(got, object{"name": "A"}) {
		t.Errorf("keys of an environment variable are %v", got)
	}
}
