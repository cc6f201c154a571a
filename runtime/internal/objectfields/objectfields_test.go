package objectfields

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func TestStrings(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Finalizers: []string{"a", "", "b"}, Annotations: map[string]string{"config": "settings"}},
		Spec:       corev1.PodSpec{RuntimeClassName: new(string)},
	}
	custom := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"names": []any{"a", "b"}, "count": int64(3)}}}
	for name, test := range map[string]struct {
		object any
		path   string
		expect []string
		fails  bool
	}{
		"a string":              {object: pod, path: ".metadata.name", expect: []string{"web"}},
		"a list":                {object: pod, path: ".metadata.finalizers", expect: []string{"a", "b"}},
		"a key of a map":        {object: pod, path: ".metadata.annotations.config", expect: []string{"settings"}},
		"a key that is not set": {object: pod, path: ".metadata.annotations.other"},
		"an empty string":       {object: pod, path: ".spec.runtimeClassName"},
		"below what is not set": {object: pod, path: ".spec.affinity.nodeAffinity"},
		"an embedded field":     {object: pod, path: ".kind"},
		"unstructured":          {object: custom, path: ".spec.names", expect: []string{"a", "b"}},
		"unstructured, not set": {object: custom, path: ".spec.more"},
		"a number":              {object: custom, path: ".spec.count", fails: true},
		"a struct":              {object: pod, path: ".spec", fails: true},
		"no such field":         {object: pod, path: ".spec.nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Strings(test.object, test.path)
			if (err != nil) != test.fails || !slices.Equal(got, test.expect) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

func TestText(t *testing.T) {
	priority := int32(7)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"app.kubernetes.io/instance": "shop", "app": "x"}},
		Spec:       corev1.PodSpec{Priority: &priority, HostNetwork: true},
	}
	service := &corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{}}}}
	port := &corev1.ServicePort{TargetPort: intstr.FromInt32(80)}
	custom := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"count": int64(3), "share": 0.5, "on": false, "none": nil, "map": map[string]any{"a.b": "c"},
	}}}
	for name, test := range map[string]struct {
		object any
		path   string
		expect string
		fails  bool
	}{
		"a string":            {object: pod, path: ".metadata.name", expect: "web"},
		"a dot in a name":     {object: pod, path: `.metadata.labels.app\.kubernetes\.io/instance`, expect: "shop"},
		"a number":            {object: pod, path: ".spec.priority", expect: "7"},
		"a boolean":           {object: pod, path: ".spec.hostNetwork", expect: "true"},
		"not set":             {object: pod, path: ".spec.runtimeClassName"},
		"a type of its own":   {object: port, path: ".targetPort", expect: "80"},
		"unstructured":        {object: custom, path: ".spec.count", expect: "3"},
		"a fraction":          {object: custom, path: ".spec.share", expect: "0.5"},
		"false":               {object: custom, path: ".spec.on", expect: "false"},
		"null":                {object: custom, path: ".spec.none"},
		"a dot in a map":      {object: custom, path: `.spec.map.a\.b`, expect: "c"},
		"an object":           {object: custom, path: ".spec.map", fails: true},
		"a list":              {object: service, path: ".spec.ports", fails: true},
		"a list that is null": {object: service, path: ".spec.externalIPs"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Text(test.object, test.path)
			if (err != nil) != test.fails || got != test.expect {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

// A dot in a name is escaped, as in the key of an annotation.
func TestNamesWithDots(t *testing.T) {
	marked := metav1.ObjectMeta{Annotations: map[string]string{"example.com/settings": "a", "example": "b"}}
	content := map[string]any{"metadata": map[string]any{"annotations": map[string]any{"example.com/settings": "a", "example": "b"}}}
	for kind, object := range map[string]any{"struct": &metav1.PartialObjectMetadata{ObjectMeta: marked}, "map": &unstructured.Unstructured{Object: content}} {
		for path, want := range map[string][]string{
			`.metadata.annotations.example\.com/settings`: {"a"},
			`.metadata.annotations.example.com/settings`:  nil,
			`.metadata.annotations.example\.org/settings`: nil,
			`.metadata.annotations.example`:               {"b"},
		} {
			if got, err := Strings(object, path); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s in a %s is %q, %v, want %q", path, kind, got, err, want)
			}
		}
	}
	selectors := map[string]any{"example.com/pods": map[string]any{"matchLabels": map[string]any{"app": "web"}}}
	if selector, err := Selector(selectors, `.example\.com/pods`); err != nil || selector == nil || selector.MatchLabels["app"] != "web" {
		t.Errorf("the selector is %v, %v", selector, err)
	}
}

func TestSelector(t *testing.T) {
	typed := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{NodeSelector: map[string]string{"app": "web"}}},
	}}
	custom := func(selector any) any {
		return &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"selector": selector}}}
	}
	for name, test := range map[string]struct {
		object any
		path   string
		expect string
	}{
		"a selector":               {typed, ".spec.selector", "app=web"},
		"a map":                    {typed, ".spec.template.spec.nodeSelector", "app=web"},
		"an unstructured selector": {custom(map[string]any{"matchLabels": map[string]any{"app": "web"}}), ".spec.selector", "app=web"},
		"an unstructured map":      {custom(map[string]any{"app": "web"}), ".spec.selector", "app=web"},
		"an empty selector":        {custom(map[string]any{}), ".spec.selector", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Selector(test.object, test.path)
			if err != nil || got == nil || metav1.FormatLabelSelector(got) != test.expect && test.expect != "" {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	if got, err := Selector(new(appsv1.Deployment), ".spec.selector"); got != nil || err != nil {
		t.Errorf("a selector that is not set: %v, %v", got, err)
	}
	if _, err := Selector(typed, ".spec.template"); err == nil {
		t.Error("a template is no selector")
	}
}
