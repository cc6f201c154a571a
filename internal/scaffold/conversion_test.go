package scaffold

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/spec"
)

const twoVersions = `apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: Shop}
metadata: {annotations: {note: a}}
versions:
- name: v1
  storage: true
  spec: {properties: {size: int32}}
- name: v2
  spec: {properties: {width: int32}}
`

const (
	hub   = "func (*Shop) Hub() {}\n"
	spoke = "func (s *Shop) ConvertTo(to conversion.Hub) error { return nil }\nfunc (s *Shop) ConvertFrom(from conversion.Hub) error { return nil }\n"
)

// complete completes the API of a file beside Go files of its versions.
func complete(t *testing.T, file string, certificates spec.Certificates, v1, v2 string) (API, spec.Problems) {
	t.Helper()
	api, problems := spec.ParseAPI("api/shop.yaml", []byte(file))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	files := fstest.MapFS{
		"api/v1/shop_conversion.go": {Data: []byte("package v1\n\n" + v1)},
		"api/v2/shop_conversion.go": {Data: []byte("package v2\n\n" + v2)},
	}
	return CompleteConversion(&spec.Project{Name: "web", Webhooks: certificates}, files, Parsed(api)[0])
}

func TestOperatorConvertsWhatGoTypesOrTheFileSay(t *testing.T) {
	byFile := func(conversion string) string { return twoVersions + "conversion: " + conversion + "\n" }
	const own = "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: web-webhook-service, namespace: web-system, path: /convert}}}}"
	for name, test := range map[string]struct {
		file, v1, v2 string
		service      string
	}{
		"nothing converts":                      {twoVersions, "", "", ""},
		"the first version is the hub":          {twoVersions, hub, spoke, "web-webhook-service"},
		"the second version is the hub":         {twoVersions, spoke, hub, "web-webhook-service"},
		"methods of another type":               {twoVersions, strings.ReplaceAll(hub, "Shop", "Other"), strings.ReplaceAll(spoke, "Shop", "Other"), ""},
		"functions":                             {twoVersions, "func Hub() {}\n", "", ""},
		"other methods of these names":          {twoVersions, "func (*Shop) ConvertTo(unit string) int { return 1 }\n", "func (Shop) Hub(a int) {}\n", ""},
		"lines that end in CR LF":               {twoVersions, strings.ReplaceAll(hub, "\n", "\r\n"), strings.ReplaceAll(spoke, "\n", "\r\n"), "web-webhook-service"},
		"code that does not compile":            {twoVersions, hub + "func (", spoke, "web-webhook-service"},
		"the file says so":                      {byFile("{strategy: Webhook}"), "", "", "web-webhook-service"},
		"the file says so, and names the other": {byFile("{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: other, namespace: there}}}}"), hub, spoke, "other"},
		"the file names the project's Service":  {byFile(own), "", "", "web-webhook-service"},
		"the file says that nothing does":       {byFile("{strategy: None}"), hub, spoke, ""},
	} {
		t.Run(name, func(t *testing.T) {
			api, problems := complete(t, test.file, spec.Certificates{From: spec.CertManager}, test.v1, test.v2)
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			got := ""
			if service := serviceOf(api.Read().Conversion); service != nil {
				got = service.Name
			}
			if got != test.service {
				t.Errorf("the Service is %q, want %q", got, test.service)
			}
			annotations := map[string]string{"note": "a"}
			if test.service == "web-webhook-service" {
				annotations["cert-manager.io/inject-ca-from"] = "web-system/web-serving-cert"
			}
			if diff := cmp.Diff(annotations, api.Read().Annotations); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAuthorityOfASecretIsInTheCRD(t *testing.T) {
	api, problems := complete(t, twoVersions, spec.Certificates{From: spec.CertificateSecret, CABundle: []byte("ca")}, hub, spoke)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if got := string(api.Read().Conversion.Webhook.ClientConfig.CABundle); got != "ca" {
		t.Errorf("the CRD's caBundle is %q", got)
	}
	if diff := cmp.Diff(map[string]string{"note": "a"}, api.Read().Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}

func TestConversionOfSomeVersionsIsAnError(t *testing.T) {
	to, from, _ := strings.Cut(spoke, "\n")
	for name, test := range map[string]struct{ v1, v2, want string }{
		"no methods": {hub, "", "api/shop.yaml:10:9: versions[1].name: version v1 has the method Hub, and the Go type of this one lacks ConvertTo and ConvertFrom"},
		"one way":    {hub, to, "api/shop.yaml:10:9: versions[1].name: version v1 has the method Hub, and the Go type of this one lacks ConvertFrom"},
		"back only":  {hub, from, "api/shop.yaml:10:9: versions[1].name: version v1 has the method Hub, and the Go type of this one lacks ConvertTo"},
		"no hub":     {"", spoke, "api/shop.yaml:10:9: versions[1].name: the Go type of this version converts, and none has the method Hub"},
		"two hubs":   {hub, hub, "api/shop.yaml:10:9: versions[1].name: the Go types of versions v1 and v2 both have the method Hub"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := complete(t, twoVersions, spec.Certificates{}, test.v1, test.v2)
			if len(problems) != 1 || problems[0].Hint == "" {
				t.Fatalf("problems: %v", problems)
			}
			if got, _, _ := strings.Cut(problems[0].String(), "\n"); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}
