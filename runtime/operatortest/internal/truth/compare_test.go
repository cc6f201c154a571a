package truth

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

func object(t *testing.T, text string) (content map[string]any) {
	t.Helper()
	if err := utilyaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}
	return content
}

// setOf reads a set in the format of managedFields.
func setOf(t *testing.T, text string) *fieldpath.Set {
	t.Helper()
	set := new(fieldpath.Set)
	if err := set.FromJSON(strings.NewReader(cmp.Or(text, "{}"))); err != nil {
		t.Fatal(err)
	}
	return set
}

// widget is a kind with lists and maps of each type.
func widget(t *testing.T) *schemas.Kind {
	t.Helper()
	data, err := os.ReadFile("testdata/widget.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if data, err = yaml.YAMLToJSON(data); err != nil {
		t.Fatal(err)
	}
	document, err := schemas.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return document.Kind(schema.GroupVersionKind{Group: "test", Version: "v1", Kind: "Widget"})
}

func TestUntruthsAreComparedByTheSchema(t *testing.T) {
	for name, test := range map[string]struct {
		desired, normal, live string
		differs               []string
	}{
		"items in another order": {
			desired: `spec: {ports: [{port: 80, protocol: UDP}, {port: 80}]}`,
			normal:  `spec: {ports: [{port: 80, protocol: UDP}, {port: 80, protocol: TCP}]}`,
			live:    `spec: {ports: [{port: 80, protocol: TCP}, {port: 80, protocol: UDP}, {port: 90, protocol: TCP}]}`,
		},
		"an item of another key": {
			desired: `spec: {ports: [{port: 80}]}`,
			normal:  `spec: {ports: [{port: 80, protocol: TCP}]}`,
			live:    `spec: {ports: [{port: 80, protocol: UDP}]}`,
			differs: []string{"spec.ports[80,TCP]"},
		},
		"a value in an item": {
			desired: `spec: {ports: [{port: 80, name: web}]}`,
			normal:  `spec: {ports: [{port: 80, protocol: TCP, name: web}]}`,
			live:    `spec: {ports: [{port: 80, protocol: TCP, name: other}]}`,
			differs: []string{"spec.ports[80,TCP].name"},
		},
		"an atomic map that has grown": {
			desired: `spec: {selector: {a: b}}`,
			normal:  `spec: {selector: {a: b}}`,
			live:    `spec: {selector: {a: b, c: d}}`,
			differs: []string{"spec.selector"},
		},
		"an atomic list that has grown": {
			desired: `spec: {args: [a]}`,
			normal:  `spec: {args: [a]}`,
			live:    `spec: {args: [a, b]}`,
			differs: []string{"spec.args"},
		},
		"an atomic list to which the API server adds": {
			desired: `spec: {args: [a]}`,
			normal:  `spec: {args: [a, b]}`,
			live:    `spec: {args: [a, b]}`,
		},
		"a set": {
			desired: `spec: {hosts: [a, c]}`,
			normal:  `spec: {hosts: [a, c]}`,
			live:    `spec: {hosts: [b, a]}`,
			differs: []string{`spec.hosts["c"]`},
		},
		"an empty object that others have filled": {
			desired: `spec: {nested: {}}`,
			normal:  `spec: {nested: {}}`,
			live:    `spec: {nested: {a: b}}`,
		},
		"an empty object that is gone": {
			desired: `spec: {nested: {}}`,
			normal:  `spec: {nested: {}}`,
			live:    `spec: {}`,
			differs: []string{"spec.nested"},
		},
		"an atomic list with defaults, no dry run": {
			desired: `spec: {rules: [{host: a}]}`,
			live:    `spec: {rules: [{host: a, path: /}]}`,
		},
		"an atomic list with another value, no dry run": {
			desired: `spec: {rules: [{host: a}]}`,
			live:    `spec: {rules: [{host: b, path: /}]}`,
			differs: []string{"spec.rules"},
		},
		"a value that the API server normalises": {
			desired: `spec: {limits: {cpu: 1000m}, text: A}`,
			normal:  `spec: {limits: {cpu: "1"}, text: a}`,
			live:    `spec: {limits: {cpu: "1"}, text: a}`,
		},
		"a value that the API server drops": {
			desired: `spec: {unknown: a}`,
			normal:  `spec: {}`,
			live:    `spec: {}`,
		},
		"no dry run": {
			desired: `spec: {ports: [{port: 80, nodePort: 30000}], args: [a]}`,
			live:    `spec: {ports: [{port: 80, nodePort: 30001}], args: [b]}`,
			differs: []string{"spec.args", "spec.ports[80,TCP].nodePort"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			compared := comparison{kind: widget(t), desired: object(t, test.desired), live: object(t, test.live)}
			if test.normal != "" {
				compared.normal = object(t, test.normal)
			}
			found, err := compared.findUntruths()
			if err != nil {
				t.Fatal(err)
			}
			if paths := pathsOf(found); !slices.Equal(paths, test.differs) {
				t.Errorf("differ: %v, want %v", paths, test.differs)
			}
		})
	}
}

func TestRemovedFieldsAreFound(t *testing.T) {
	for name, test := range map[string]struct {
		earlier, desired, normal, live, others string
		handOver, applied                      string
		left                                   []string
	}{
		"a value":            {earlier: `spec: {text: a}`, desired: `spec: {}`, normal: `spec: {}`, live: `spec: {text: a}`, left: []string{"spec.text"}},
		"a default":          {earlier: `spec: {text: a}`, desired: `spec: {}`, normal: `spec: {text: b}`, live: `spec: {text: b}`},
		"of another manager": {earlier: `spec: {text: a}`, desired: `spec: {}`, normal: `spec: {}`, live: `spec: {text: a}`, others: `{"f:spec":{"f:text":{}}}`},
		"a whole object":     {earlier: `spec: {text: a}`, desired: `{}`, normal: `{}`, live: `spec: {text: a}`, left: []string{"spec.text"}},
		"an item": {
			earlier: `spec: {ports: [{port: 80}, {port: 90}]}`, desired: `spec: {ports: [{port: 80}]}`, normal: `spec: {ports: [{port: 80}]}`,
			live: `spec: {ports: [{port: 80}, {port: 90}]}`, left: []string{"spec.ports[90,TCP]"},
		},
		"a field of an item": {
			earlier: `spec: {ports: [{port: 80, name: web}]}`, desired: `spec: {ports: [{port: 80}]}`, normal: `spec: {ports: [{port: 80}]}`,
			live: `spec: {ports: [{port: 80, name: web}]}`, left: []string{"spec.ports[80,TCP].name"},
		},
		"an item of a set": {
			earlier: `spec: {hosts: [a, b]}`, desired: `spec: {hosts: [a]}`, normal: `spec: {hosts: [a]}`, live: `spec: {hosts: [a, b]}`, left: []string{`spec.hosts["b"]`},
		},
		"an atomic list": {earlier: `spec: {args: [a]}`, desired: `spec: {}`, normal: `spec: {}`, live: `spec: {args: [a]}`, left: []string{"spec.args"}},
		"nothing":        {earlier: `spec: {text: a, args: [a]}`, desired: `spec: {}`, normal: `spec: {}`, live: `spec: {}`},
		"handed over":    {earlier: `spec: {text: a}`, desired: `spec: {}`, normal: `spec: {}`, live: `spec: {text: a}`, handOver: "spec.text"},
		"still owned, though it is handed over": {
			earlier: `spec: {text: a}`, desired: `spec: {}`, normal: `spec: {}`, live: `spec: {text: a}`, handOver: "spec.text",
			applied: `{"f:spec":{"f:text":{}}}`, left: []string{"spec.text"},
		},
		"beside what is handed over": {
			earlier: `spec: {text: a, args: [a]}`, desired: `spec: {}`, normal: `spec: {}`, live: `spec: {text: a, args: [a]}`, handOver: "spec.text",
			left: []string{"spec.args"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			compared := comparison{
				kind: widget(t), desired: object(t, test.desired), normal: object(t, test.normal), live: object(t, test.live),
				others: setOf(t, test.others), applied: setOf(t, test.applied),
			}
			if test.handOver != "" {
				compared.handOver = []fieldpath.Path{fieldpath.MakePathOrDie("spec", test.handOver[len("spec."):])}
			}
			found, err := compared.findRemoved(object(t, test.earlier))
			if err != nil {
				t.Fatal(err)
			}
			if paths := pathsOf(found); !slices.Equal(paths, test.left) {
				t.Errorf("left: %v, want %v", paths, test.left)
			}
		})
	}
}

func pathsOf(found []untruth) (paths []string) {
	for _, one := range found {
		paths = append(paths, one.path)
	}
	slices.Sort(paths)
	return paths
}

func TestConditionsExcuseWhatTheyName(t *testing.T) {
	child := testcontrol.Child{Kind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Name: types.NamespacedName{Namespace: "default", Name: "web"}}
	found := []untruth{{path: "data.text"}}
	for name, test := range map[string]struct {
		reason, message string
		gone, excuses   bool
	}{
		"by name":                       {reason: "NameConflict", message: "ConfigMap web exists already", excuses: true},
		"by namespace and name":         {reason: "FieldConflict", message: "ConfigMap default/web: somebody keeps changing data.text", excuses: true},
		"another of a longer name":      {reason: "NameConflict", message: "ConfigMap web-1 exists already"},
		"another kind":                  {reason: "NameConflict", message: "Secret web exists already"},
		"its health":                    {reason: "Progressing", message: "ConfigMap web is not ready"},
		"its health, while it is gone":  {reason: "Progressing", message: "ConfigMap web is missing", gone: true, excuses: true},
		"one of many":                   {reason: "FieldConflict", message: "ConfigMap a: x; ConfigMap b: x; and 2 more", excuses: true},
		"admission changes the field":   {reason: "ChangedByAdmission", message: "ConfigMap default/web: admission changes data.text", excuses: true},
		"admission changes another one": {reason: "ChangedByAdmission", message: "ConfigMap default/web: admission changes data.other"},
	} {
		t.Run(name, func(t *testing.T) {
			said := Conditions{"Ready": {Status: "False", Reason: test.reason, message: test.message}}
			if got := said.Excuses(child, found, test.gone); got != test.excuses {
				t.Errorf("excuses: %v", got)
			}
		})
	}
}

func TestReportsShowNoSecret(t *testing.T) {
	for path, kind := range map[string]string{
		"data.token": "Secret",
		`metadata.annotations["example.com/token"]`:         "Secret",
		"spec.template.spec.containers[main].env[A].value":  "Deployment",
		"spec.template.spec.containers":                     "Deployment",
		"spec.jobTemplate.spec.template.spec.containers[0]": "CronJob",
	} {
		value := any("canary")
		if strings.Contains(path, "containers") && !strings.HasSuffix(path, "value") {
			value = []any{map[string]any{"name": "main", "env": []any{map[string]any{"name": "A", "value": "canary"}}}}
		}
		var text strings.Builder
		writeUntruths(&text, testcontrol.Child{Kind: schema.GroupVersionKind{Kind: kind}}, []untruth{{path: path, desired: value, live: value}})
		if strings.Contains(text.String(), "canary") || !strings.Contains(text.String(), path) {
			t.Errorf("reports\n%s", text.String())
		}
	}
}
