package packages

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/operator-framework/api/crds"
	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"
	"github.com/operator-framework/api/pkg/validation/interfaces"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/packaging"
	"github.com/opgen-dev/opgen/internal/projecttest"
	"github.com/opgen-dev/opgen/internal/tree"
)

// bundleProject returns the files of a project: opgen.yaml with more lines, and an API with these versions.
func bundleProject(settings, api string, more map[string]string) map[string][]byte {
	if !strings.Contains(settings, "name:") {
		settings += "name: gate\n"
	}
	files := map[string][]byte{
		"opgen.yaml":    []byte("apiVersion: opgen.dev/v1alpha1\nkind: Project\nmodule: example.com/gate\n" + settings),
		"api/gate.yaml": []byte("apiVersion: opgen.dev/v1alpha1\nkind: API\ngroup: olm.example.com\nnames: {kind: Gate}\n" + api + "operator: {children: [{apiVersion: v1, kind: ConfigMap}]}\n"),
	}
	for name, text := range more {
		files[name] = []byte(text)
	}
	return files
}

const (
	oneVersion   = "versions:\n- name: v1\n  spec: {properties: {a: string}}\n"
	twoVersions  = "versions:\n- name: v1\n  storage: true\n  spec: {properties: {a: string | required}}\n- name: v1beta1\n  spec: {properties: {b: string | required, c: 'int32 | minimum=3'}}\n"
	withUnserved = twoVersions + "- name: v1alpha1\n  served: false\n  spec: {properties: {b: string}}\n"
	converted    = "conversion: {strategy: Webhook}\n" + twoVersions
	webhook      = `package gate

// +kubebuilder:webhook:path=/validate,mutating=false,failurePolicy=fail,sideEffects=None,groups=olm.example.com,resources=gates,verbs=create;update,versions=v1,name=vgate.example.com,admissionReviewVersions=v1
`
)

// makeBundle makes the bundle of the project in root.
func makeBundle(t *testing.T, root, dir, version, replaces string) ([]tree.File, error) {
	t.Helper()
	o := readFolder(t, root, dir)
	o.Version = version
	return packaging.Bundle(o, "stable", replaces)
}

// allValidators are those of the library that look at a bundle by itself. The others ask registries for its images, are of
// other objects, or are deprecated in favour of these.
func allValidators() validator.Validators {
	return append(slices.Clone(validation.DefaultBundleValidators), validation.OperatorHubV2Validator, validation.StandardCapabilitiesValidator,
		validation.StandardCategoriesValidator, validation.ObjectValidator, validation.GoodPracticesValidator, validation.AlphaDeprecatedAPIsValidator)
}

// findings returns the errors and warnings about a bundle, but for an icon, which the author adds, and for rules of
// resources with versions that are still served.
func findings(t *testing.T, files []tree.File) (found []string) {
	t.Helper()
	dir := write(t, files, packaging.BundleDir)
	bundle, err := manifests.GetBundleFromDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	objects := bundle.ObjectsToValidate()
	for _, object := range bundle.Objects {
		objects = append(objects, object)
	}
	for _, result := range allValidators().Validate(objects...) {
		for _, e := range append(result.Errors, result.Warnings...) {
			if !strings.Contains(e.Error(), "Icon not specified") && !isOfServedRules(e.Error()) {
				found = append(found, e.Error())
			}
		}
	}
	return append(found, refusals(t, files)...)
}

// refusals returns what the API server would refuse in a ClusterServiceVersion, by the schema of its CRD.
func refusals(t *testing.T, files []tree.File) (found []string) {
	t.Helper()
	var internal apiextensions.JSONSchemaProps
	schema := crds.ClusterServiceVersion().Spec.Versions[0].Schema.OpenAPIV3Schema
	if err := apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, &internal, nil); err != nil {
		t.Fatal(err)
	}
	validator, _, err := crdvalidation.NewSchemaValidator(&internal)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Path, ".clusterserviceversion.yaml") {
			continue
		}
		var object any
		if err := yaml.Unmarshal(f.Content, &object); err != nil {
			t.Fatal(err)
		}
		for _, e := range crdvalidation.ValidateCustomResource(nil, object, validator) {
			found = append(found, e.Error())
		}
		return found
	}
	return []string{"there is no ClusterServiceVersion"}
}

// Bundles of projects of every sort are without an error and without a warning.
func TestBundlesOfManyKinds(t *testing.T) {
	const long = "a23456789-123456789-123456789-123456789-123456789-123456" // the longest name of a project
	overlay := map[string]string{"b/kustomization.yaml": "resources: [../deploy]\ncomponents: [../deploy/components/api-roles, ../deploy/components/service-monitor, ../deploy/components/prometheus-rule]\n"}
	for given, tc := range map[string]struct {
		settings, api, version, dir string
		more                        map[string]string
	}{
		"one version":                      {api: oneVersion},
		"two versions, no conversion":      {api: twoVersions},
		"a version that is not served":     {api: withUnserved},
		"a conversion":                     {api: converted},
		"a conversion and a webhook":       {api: converted, more: map[string]string{"internal/gate/webhooks.go": webhook}},
		"a namespace":                      {settings: "watch: namespace\n", api: oneVersion},
		"a namespace and two versions":     {settings: "watch: namespace\n", api: twoVersions},
		"a namespace and a webhook":        {settings: "watch: namespace\n", api: oneVersion, more: map[string]string{"internal/gate/webhooks.go": webhook}},
		"cluster scope":                    {api: "scope: Cluster\n" + oneVersion},
		"cluster scope and two versions":   {api: "scope: Cluster\n" + converted},
		"the longest names":                {settings: "name: " + long + "\n", api: oneVersion, version: "1.2.0"},
		"before 1.0.0":                     {api: oneVersion, version: "0.1.0"},
		"a version before a release":       {api: oneVersion, version: "1.2.0-rc.1"},
		"an old Kubernetes":                {settings: "minKubernetes: \"1.29\"\n", api: oneVersion},
		"no descriptions":                  {settings: "maxDescLen: 0\n", api: twoVersions},
		"a deprecated version":             {api: strings.Replace(twoVersions, "name: v1beta1", "name: v1beta1\n  deprecated: true", 1)},
		"an empty spec":                    {api: "versions:\n- name: v1\n  spec: {properties: {}}\n"},
		"rules that no sample satisfies":   {api: "versions:\n- name: v1\n  storage: true\n  spec: {properties: {a: string}}\n- name: v2\n  spec: {properties: {a: 'string | required pattern=\"^(?:x.){3}[0-9]{4}$\"'}}\n"},
		"roles, monitors and rules":        {api: oneVersion, dir: "b", more: overlay},
		"names of kinds with odd plurals":  {api: strings.Replace(oneVersion, "versions:", "# odd\nversions:", 1)},
		"a URL, a maintainer and keywords": {settings: "package: {url: 'https://example.com', maintainers: ['Ada <ada@example.com>'], keywords: [a], description: \"Many\\nlines: {{ braces }}\"}\n", api: oneVersion},
	} {
		t.Run(given, func(t *testing.T) {
			if tc.version == "" {
				tc.version = "1.2.0"
			}
			if tc.dir == "" {
				tc.dir = "deploy"
			}
			files, err := makeBundle(t, projecttest.Make(t, bundleProject(tc.settings, tc.api, tc.more)), tc.dir, tc.version, "")
			if err != nil {
				t.Fatal(err)
			}
			for _, finding := range findings(t, files) {
				t.Error(finding)
			}
		})
	}
}

// What the Operator Lifecycle Manager refuses is refused before it is written, with what to do. All of it at once.
func TestBundlesThatAreRefused(t *testing.T) {
	patch := func(text string) map[string]string {
		return map[string]string{"b/kustomization.yaml": "resources: [../deploy, more.yaml]\n", "b/more.yaml": text}
	}
	for given, tc := range map[string]struct {
		settings, api, version, replaces, dir string
		more                                  map[string]string
		messages                              []string
	}{
		"a conversion in a namespace": {settings: "watch: namespace\n", api: converted, messages: []string{"gates.olm.example.com", "watch: cluster"}},
		"a conversion in namespaces":  {settings: "watch: namespace\nwatchNamespaces: [a, b]\n", api: converted, messages: []string{"gates.olm.example.com", "watch: cluster"}},
		"two errors at once":          {settings: "watch: namespace\n", api: converted, version: "1.2.0+build", messages: []string{"watch: cluster", "--version"}},
		"a name that is too long": {
			settings: "name: a23456789-123456789-123456789-123456789-123456789-123456\n", api: oneVersion, version: "10.20.30-rc.1",
			messages: []string{"at most 63", "--version"},
		},
		"capitals":             {api: oneVersion, version: "1.2.0-RC1", messages: []string{"--version", "1.2.0-rc1"}},
		"build metadata":       {api: oneVersion, version: "1.2.0+abc", messages: []string{"--version", "1.2.0"}},
		"a long replaced name": {api: oneVersion, replaces: "gate.v1.0.0-" + strings.Repeat("a", 60), messages: []string{"--replaces"}},
		"a budget that stops":  {api: oneVersion, dir: "b", more: patch("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: p, namespace: gate-system}\nspec: {maxUnavailable: 0}\n"), messages: []string{"PodDisruptionBudget p", "maxUnavailable"}},
		"a budget in percent":  {api: oneVersion, dir: "b", more: patch("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: p, namespace: gate-system}\nspec: {minAvailable: 100%}\n"), messages: []string{"PodDisruptionBudget p", "minAvailable"}},
		"a default priority":   {api: oneVersion, dir: "b", more: patch("apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: p}\nvalue: 5\nglobalDefault: true\n"), messages: []string{"PriorityClass p", "globalDefault"}},
		"a webhook for all groups": {
			api: oneVersion, more: map[string]string{"internal/gate/webhooks.go": strings.Replace(webhook, "groups=olm.example.com", "groups=*", 1)},
			messages: []string{"vgate.example.com", "groups"},
		},
		"a webhook for OLM's kinds": {
			api: oneVersion, more: map[string]string{"internal/gate/webhooks.go": strings.Replace(webhook, "groups=olm.example.com", "groups=operators.coreos.com", 1)},
			messages: []string{"vgate.example.com", "operators.coreos.com"},
		},
		"a webhook for webhooks": {
			api: oneVersion, more: map[string]string{"internal/gate/webhooks.go": strings.NewReplacer("groups=olm.example.com", "groups=admissionregistration.k8s.io", "resources=gates", "resources=validatingwebhookconfigurations").Replace(webhook)},
			messages: []string{"vgate.example.com", "validatingwebhookconfigurations"},
		},
	} {
		t.Run(given, func(t *testing.T) {
			if tc.version == "" {
				tc.version = "1.2.0"
			}
			if tc.dir == "" {
				tc.dir = "deploy"
			}
			files, err := makeBundle(t, projecttest.Make(t, bundleProject(tc.settings, tc.api, tc.more)), tc.dir, tc.version, tc.replaces)
			if err == nil {
				t.Fatalf("no error; the validators say: %q", findings(t, files))
			}
			for _, message := range tc.messages {
				if !strings.Contains(err.Error(), message) {
					t.Errorf("the error does not say %q: %v", message, err)
				}
			}
		})
	}
}

// Each served version has an example: the author's sample, or one made from the schema of the CRD.
func TestBundleHasAnExampleOfEachServedVersion(t *testing.T) {
	root := projecttest.Make(t, bundleProject("", withUnserved, map[string]string{
		"deploy/samples/more.yaml": "apiVersion: olm.example.com/v1alpha1\nkind: Gate\nmetadata: {name: old}\n",
	}))
	files, err := makeBundle(t, root, "deploy", "1.2.0", "")
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := manifests.GetBundleFromDir(filepath.Join(write(t, files, packaging.BundleDir), "manifests"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []packaging.Object
	var list []map[string]any
	if err := yaml.Unmarshal([]byte(bundle.CSV.Annotations["alm-examples"]), &list); err != nil {
		t.Fatal(err)
	}
	versions := map[string]int{}
	for _, object := range list {
		examples = append(examples, packaging.Object{Object: object})
		versions[examples[len(examples)-1].GetAPIVersion()]++
	}
	if want := map[string]int{"olm.example.com/v1": 1, "olm.example.com/v1beta1": 1}; !maps.Equal(want, versions) {
		t.Errorf("examples of %v, expected %v", versions, want)
	}
	for _, object := range examples {
		if spec, _ := object.Object["spec"].(map[string]any); object.GetAPIVersion() == "olm.example.com/v1beta1" && (spec["b"] == nil || spec["a"] != nil) {
			t.Errorf("the example is not of its version: %v", object.Object)
		}
	}
}
