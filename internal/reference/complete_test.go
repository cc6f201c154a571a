package reference

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/spec"
)

const api = "apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: demo.example.com\n"

const controller = "apiVersion: opgen.dev/v1alpha1\nkind: Controller\n"

// mappings are all mappings of spec files with the keys that the reference has for them. Each file has a place for
// one more key in that mapping.
var mappings = []struct {
	name, file string
	keys       []key
}{
	{"project", "apiVersion: opgen.dev/v1alpha1\nkind: Project\n%s: x\n", projectKeys()},
	{"api", api + "%s: x\n", apiKeys()},
	{"controller", controller + "%s: x\n", controllerKeys()},
	{"parent", controller + "parents: [{%s: x}]\n", parentKeys()},
	{"annotation selector", controller + "parents: [{annotationSelector: {%s: x}}]\n", annotationSelectorKeys()},
	{"types", "apiVersion: opgen.dev/v1alpha1\nkind: Types\n%s: x\n", typesKeys()},
	{"names", api + "names: {%s: x}\n", nameKeys()},
	{"version", api + "versions: [{%s: x}]\n", versionKeys()},
	{"column", api + "versions: [{columns: [{%s: x}]}]\n", columnKeys()},
	{"metadata", api + "metadata: {%s: x}\n", metadataKeys()},
	{"conversion", api + "conversion: {%s: x}\n", conversionKeys()},
	{"webhook", api + "conversion: {webhook: {%s: x}}\n", webhookKeys()},
	{"client config", api + "conversion: {webhook: {clientConfig: {%s: x}}}\n", clientConfigKeys()},
	{"service", api + "conversion: {webhook: {clientConfig: {service: {%s: x}}}}\n", serviceKeys()},
	{"subresources", api + "versions: [{subresources: {%s: x}}]\n", subresourceKeys()},
	{"scale", api + "versions: [{scale: {%s: x}}]\n", scaleKeys()},
	{"operator", api + "operator: {%s: x}\n", operatorKeys()},
	{"child", api + "operator: {children: [{%s: x}]}\n", childKeys()},
	{"related", api + "operator: {related: [{%s: x}]}\n", relatedKeys()},
	{"label selector", api + "operator: {related: [{selector: {%s: x}}]}\n", labelSelectorKeys()},
	{"label requirement", api + "operator: {related: [{selector: {matchExpressions: [{%s: x}]}}]}\n", labelRequirementKeys()},
	{"policy rule", api + "operator: {rbac: [{%s: x}]}\n", policyRuleKeys()},
	{"CEL rule", api + "versions: [{spec: {x-kubernetes-validations: [{%s: x}]}}]\n", ruleKeys()},
}

// TestKeysAreThoseOfTheParser asks the parser for the keys of each mapping with one that it cannot know.
func TestKeysAreThoseOfTheParser(t *testing.T) {
	for _, m := range mappings {
		t.Run(m.name, func(t *testing.T) {
			accepted := known(t, fmt.Sprintf(m.file, "☃☃☃☃☃☃☃"))
			if diff := cmp.Diff(accepted, names(m.keys)); diff != "" {
				t.Errorf("the parser and the reference differ (-parser +reference):\n%s", diff)
			}
			for _, k := range m.keys {
				if k.means == "" {
					t.Errorf("%s has no description", k.name)
				}
			}
		})
	}
}

// TestWordsAreThoseOfTheParser asks the parser for the words that a key takes with one that it cannot know.
func TestWordsAreThoseOfTheParser(t *testing.T) {
	asked := 0
	for _, m := range mappings {
		for _, k := range m.keys {
			if k.value.Type != "string" || k.value.Enum == nil || k.name == "minKubernetes" {
				continue
			}
			asked++
			var words []string
			for _, word := range k.value.Enum {
				words = append(words, word.(string))
			}
			hint := "accepted: " + strings.Join(words, ", ")
			problems := parse("", []byte(fmt.Sprintf(m.file, k.name)))
			if !slices.ContainsFunc(problems, func(p spec.Problem) bool { return p.Hint == hint }) {
				t.Errorf("%s.%s: the reference has %q, the parser reports\n%v", m.name, k.name, words, problems)
			}
		}
	}
	if asked < 9 {
		t.Errorf("asked for %d keys only", asked)
	}
}

func TestMinKubernetesIsTheParsersRange(t *testing.T) {
	project := "apiVersion: opgen.dev/v1alpha1\nkind: Project\nname: a\nmodule: example.com/a\nminKubernetes: %q\n"
	listed := projectKeys()[slices.IndexFunc(projectKeys(), func(k key) bool { return k.name == "minKubernetes" })].value.Enum
	var accepted []any
	for minor := range 100 {
		version := fmt.Sprintf("1.%d", minor)
		if len(parse("", []byte(fmt.Sprintf(project, version)))) == 0 {
			accepted = append(accepted, version)
		}
	}
	if diff := cmp.Diff(accepted, listed); diff != "" {
		t.Errorf("-parser +reference:\n%s", diff)
	}
}

func TestSchemaKeysAreThoseOfTheParser(t *testing.T) {
	all := slices.Concat(keywords(), holders(ref(""), ref("")), []key{goName(), goConstants()})
	if diff := cmp.Diff(spec.SchemaKeys(), names(all)); diff != "" {
		t.Errorf("-parser +reference:\n%s", diff)
	}
}

func TestShorthandIsThatOfTheParser(t *testing.T) {
	var markerNames []string
	for _, m := range markers() {
		markerNames = append(markerNames, m.name)
		if m.means() == "" {
			t.Errorf("%s has no meaning", m.name)
		}
	}
	types := []string{"[]string", "map[string]string"}
	for _, w := range typeWords() {
		types = append(types, w.names...)
	}
	slices.Sort(markerNames)
	slices.Sort(types)
	if diff := cmp.Diff(spec.Markers(), markerNames); diff != "" {
		t.Errorf("markers, -parser +reference:\n%s", diff)
	}
	if diff := cmp.Diff(spec.Types(), types); diff != "" {
		t.Errorf("types, -parser +reference:\n%s", diff)
	}
}

// known are the keys that the parser names beside an unknown one.
func known(t *testing.T, file string) []string {
	t.Helper()
	for _, p := range parse("", []byte(file)) {
		if list, ok := strings.CutPrefix(p.Hint, "known: "); ok && p.Message == "unknown key" {
			return strings.Split(list, ", ")
		}
	}
	t.Fatalf("the parser names no keys for\n%s", file)
	return nil
}

// names are the names of keys, sorted.
func names(keys []key) []string {
	var all []string
	for _, k := range keys {
		all = append(all, k.name)
	}
	slices.Sort(all)
	return all
}
