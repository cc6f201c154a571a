package webhookmarkers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/gomarkers"
	"github.com/opgen-dev/opgen/internal/spec"
)

var own = Service{"web-webhook-service", "web-system"}

func parseFile(t *testing.T, source string) (Webhooks, spec.Problems) {
	t.Helper()
	all, err := gomarkers.Find(fstest.MapFS{"p.go": {Data: []byte("package p\n\n" + source)}}, Name)
	if err != nil {
		t.Fatal(err)
	}
	return Parse(all, own)
}

// TestParse compares with what the markers say, argument by argument.
func TestParse(t *testing.T) {
	found, problems := parseFile(t, strings.Join([]string{
		"// +kubebuilder:webhookconfiguration:mutating=true,name=defaults",
		"// +kubebuilder:webhook:path=/validate-v1-pod,mutating=false,failurePolicy=ignore,sideEffects=NoneOnDryRun,groups=core,resources=pods;pods/status,verbs=create;DELETE,versions=v1,name=z.pod.example.com,admissionReviewVersions=v1;v1beta1,matchPolicy=Exact,timeoutSeconds=7,webhookVersions=v1,servicePort=8443,serviceName=webhook-service,serviceNamespace=system",
		`// +kubebuilder:webhook:url="https://127.0.0.1:9443/v",mutating=false,failurePolicy=fail,sideEffects=None,groups=*,resources=*,verbs=*,versions=*,name=a.pod.example.com,admissionReviewVersions=v1`,
		"//+kubebuilder:webhook:path=/mutate-v1-pod,mutating=true,failurePolicy=fail,sideEffects=None,groups=\"\",resources=pods,verbs=create,versions=v1,name=pod.example.com,admissionReviewVersions=v1,reinvocationPolicy=IfNeeded,serviceName=other,serviceNamespace=there,patch=`{\"objectSelector\":{\"matchLabels\":{\"a\":\"b\"}}}`\r",
		"",
	}, "\n"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	got, err := yaml.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	expected, err := os.ReadFile(filepath.Join("testdata", "webhooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(expected), string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestParseReportsErrors(t *testing.T) {
	const good = "path=/mutate,mutating=true,failurePolicy=fail,sideEffects=None,groups=apps,resources=deployments,verbs=create,versions=v1,name=a.example.com,admissionReviewVersions=v1"
	with := func(old, new string) string { return Name + ":" + strings.Replace(good, old, new, 1) }
	for _, test := range []struct{ source, message, hint string }{
		{with("mutating=true", "mutatingg=true"), `unknown argument "mutatingg"`, "did you mean mutating?"},
		{with(",failurePolicy=fail", ""), `missing argument "failurePolicy"`, ""},
		{with("failurePolicy=fail", "failurePolicy=fial"), "failurePolicy=fial is not accepted", "did you mean fail?"},
		{with("failurePolicy=fail", "failurePolicy=retry"), "failurePolicy=retry is not accepted", "accepted: fail, ignore"},
		{with(",sideEffects=None", ""), `missing argument "sideEffects"`, "accepted: None, NoneOnDryRun"},
		{with("sideEffects=None", "sideEffects=Some"), "sideEffects=Some is not accepted", ""},
		{with("verbs=create", "verbs=create;updat"), "verbs=updat is not accepted", "did you mean update?"},
		{with("verbs=create", "verbs=create;*"), "verbs has * and others", ""},
		{with("versions=v1", "versions="), "versions is empty", ""},
		{with("path=/mutate,", ""), "needs a path", ""},
		{with("path=/mutate", "path=mutate"), "path=mutate does not begin with /", "did you mean /mutate?"},
		{with("path=/mutate", `path=/mutate,url="https://a/b"`), "path and url exclude each other", ""},
		{with("path=/mutate", `url="http://a/b"`), "url=http://a/b does not begin with https://", ""},
		{with("path=/mutate", `url="https://a/b",serviceName=c`), "a url has no Service", ""},
		{with("path=/mutate", "path=/mutate,servicePort=70000"), "servicePort=70000 is no port", ""},
		{with("path=/mutate", "path=/mutate,matchPolicy=Exakt"), "matchPolicy=Exakt is not accepted", "did you mean Exact?"},
		{with("path=/mutate", "path=/mutate,timeoutSeconds=31"), "timeoutSeconds=31 is not accepted", "1 to 30"},
		{with("path=/mutate", "path=/mutate,webhookVersions=v1beta1"), "webhookVersions=v1beta1 is not accepted", ""},
		{with("mutating=true", "mutating=false,reinvocationPolicy=Never"), "reinvocationPolicy is of mutating webhooks, and this one has mutating=false", ""},
		{with("name=a.example.com", "name=mutate"), "name=mutate is not accepted", ""},
		{with("name=a.example.com", "name=A.example.com"), "name=A.example.com is not accepted", ""},
		{with("admissionReviewVersions=v1", "admissionReviewVersions=v2"), "admissionReviewVersions has no version that the API server sends", ""},
		{with("path=/mutate", "path=/mutate,patch=`{\"nameSelector\":{}}`"), "", ""},
		{Name + " path=/mutate", "is followed by no colon", ""},
		{Name + ":" + good + "\n// " + Name + ":" + strings.Replace(good, "/mutate", "/b", 1), "name a.example.com is that of the mutating webhook at p.go:3:1", ""},
		{Name + ":" + good + "\n// " + with("mutating=true", "mutating=false"), "path /mutate is mutating at one place and validating at p.go:3:1", ""},
		{ConfigurationName + ":mutating=true,nam=a", `unknown argument "nam"`, "did you mean name?"},
		{ConfigurationName + ":mutating=true,name=a\n// " + ConfigurationName + ":mutating=true,name=b", "the configuration is named a and b", ""},
	} {
		t.Run(test.source, func(t *testing.T) {
			_, problems := parseFile(t, "// "+test.source+"\n")
			if len(problems) != 1 {
				t.Fatal(problems)
			}
			problem := problems[0]
			if test.message != "" && problem.Message != test.message || test.hint != "" && problem.Hint != test.hint || problem.Pos.Line < 3 {
				t.Errorf("got %v, want %q, %q", problem, test.message, test.hint)
			}
		})
	}
}
