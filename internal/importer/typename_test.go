package importer

import (
	"strings"
	"testing"
)

// typesOf returns the names of the types that the import of a CRD gives, in their order; its spec
// has the fields that are given in YAML on one line.
func typesOf(t *testing.T, fields string) string {
	t.Helper()
	specs, problems := Import("crd.yaml", []byte(crdWith("{type: object, properties: {"+fields+"}}")))
	if err := problems.Err(); err != nil {
		t.Fatalf("%s:\n%v", fields, err)
	}
	var names []string
	for _, named := range specs[0].API.Types {
		names = append(names, named.Name)
	}
	return strings.Join(names, " ")
}

func TestNamesOfTypes(t *testing.T) {
	const (
		a      = `{type: object, properties: {a: {type: string}}}`
		b      = `{type: object, properties: {b: {type: string}}}`
		listOf = `{type: array, items: `
		mapOf  = `{type: object, additionalProperties: `
	)
	in := func(field, object string) string {
		return "{type: object, properties: {" + field + ": " + object + "}}"
	}
	also := func(field, object string) string {
		return "{type: object, properties: {" + field + ": " + object + ", also: {type: string}}}"
	}
	for _, tc := range []struct{ what, given, want string }{
		{"an object alone", `tls: ` + a, ""},
		{"one name", `tls: ` + a + `, x: ` + in("tls", a), "TLS"},
		{"items and values", `urls: ` + listOf + a + `}, url: ` + mapOf + a + `}`, "URL"},
		{"lists of lists", `rows: ` + listOf + listOf + a + `}}, row: ` + a, "Row"},
		{"the most uses", `x: ` + in("rare", a) + `, y: ` + in("often", a) + `, often: ` + a, "Often"},
		{"the first of as many", `alpha: ` + a + `, beta: ` + a, "Alpha"},
		{"a common ending", `livenessProbe: ` + a + `, startupProbe: ` + a, "Probe"},
		{"an ending that tells nothing", `secretRef: ` + a + `, configRef: ` + a, "SecretRef"},
		{"an ending that is around it", `affinity: ` + in("podAffinity", a) + `, x: ` + in("nodeAffinity", a), "PodAffinity"},
		{"an ending that tells little", `cacheConfig: ` + a + `, storeConfig: ` + a, "Config"},
		{"one that is everywhere", `cache: ` + in("config", a) + `, store: ` + also("config", a) + `, log: ` + in("logConfig", a), "Config"},
		{"a name that tells nothing", `cache: ` + in("config", a) + `, store: ` + also("config", a), "CacheConfig"},
		{"and what is around it neither", `cache: ` + in("spec", in("config", a)) + `, store: ` + also("config", a), "CacheSpecConfig"},
		{"two objects of one name", `x: ` + in("tls", a) + `, y: ` + also("tls", a) + `, z: ` + in("tls", b) + `, tls: ` + b, "TLS ZTLS"},
		{"the name of the kind", `widget: ` + a + `, x: ` + in("widget", a), "FieldWidget"},
		{"the name of the kind's spec", `widgetSpec: ` + a + `, x: ` + in("widgetSpec", a), "FieldWidgetSpec"},
		{"what repeats with its parent", `outer: ` + in("inner", a) + `, z: ` + in("outer", in("inner", a)), "Outer"},
		{"what repeats elsewhere too", `outer: ` + in("inner", a) + `, z: ` + in("outer", in("inner", a)) + `, inner: ` + a, "Outer Inner"},
		{"no name in Go", `größe: ` + a + `, höhe: ` + a, "Object"},
		{"no fields", `none: {type: object}, nothing: {type: object}`, ""},
	} {
		t.Run(tc.what, func(t *testing.T) {
			if got := typesOf(t, tc.given); got != tc.want {
				t.Errorf("%s:\ngot  %s\nwant %s", tc.given, got, tc.want)
			}
		})
	}
}

func TestNamesThatDescriptionsGive(t *testing.T) {
	given := func(description string) string {
		return `{type: object, description: "` + description + `", properties: {a: {type: string}}}`
	}
	for _, tc := range []struct{ field, description, want string }{
		{"steps", "PipelineStep is one of many.", "PipelineStep"},
		{"args", "RunArgument has a value.", "RunArgument"},
		{"steps", "Step is one of many.", "Step"},
		{"steps", "OtherThing is one of many.", "OtherThing"},
		{"steps", "PipelineStep: one of many.", "Step"},
	} {
		fields := tc.field + `: {type: array, items: ` + given(tc.description) + `}, items: {type: array, items: ` +
			`{type: object, properties: {` + tc.field + `: {type: array, items: ` + given(tc.description) + `}}}}`
		if got := typesOf(t, fields); got != tc.want {
			t.Errorf("%s: %q: got %s, want %s", tc.field, tc.description, got, tc.want)
		}
	}
}

func TestDescriptionsOfFieldsGiveNamesLikeTheirs(t *testing.T) {
	given := func(description string) string {
		return `{type: object, description: "` + description + `", properties: {a: {type: string}}}`
	}
	for description, want := range map[string]string{
		"ClientTLS is how to connect.":   "ClientTLS",
		"OtherThing is how to connect.":  "TLS",
		"HowToConnect says what to use.": "TLS",
	} {
		if got := typesOf(t, `tls: `+given(description)+`, peer: {type: object, properties: {tls: `+given(description)+`}}`); got != want {
			t.Errorf("%q: got %s, want %s", description, got, want)
		}
	}
}

func TestNamesOfKubernetesTypes(t *testing.T) {
	const (
		env  = `{type: object, properties: {name: {type: string%s}, value: {type: string%s}, valueFrom: {type: string}}}`
		host = `{type: object, properties: {host: {type: string}, port: {type: integer}}}`
	)
	described := strings.Replace(strings.Replace(env, "%s", `, description: "Name of the environment variable. It was a C_IDENTIFIER."`, 1), "%s", "", 1)
	plain := strings.ReplaceAll(env, "%s", "")
	for _, tc := range []struct{ what, given, want string }{
		{"its fields and descriptions", `vars: ` + described + `, x: ` + plainIn("vars", described), "EnvVar"},
		{"its fields and a name like it", `env: ` + plain + `, x: ` + plainIn("env", plain), "EnvVar"},
		{"its fields by chance", `redis: ` + host + `, x: ` + plainIn("redis", host), "Redis"},
		{"its fields and a name like it, in a probe", `tcpSocket: ` + host + `, x: ` + plainIn("tcpSocket", host), "TCPSocketAction"},
	} {
		if got := typesOf(t, tc.given); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.what, got, tc.want)
		}
	}
}

func plainIn(field, object string) string {
	return "{type: object, properties: {" + field + ": " + object + "}}"
}

func TestWordsOfNames(t *testing.T) {
	for name, want := range map[string]string{
		"HTTPRouteIPs": "HTTP Route IPs", "IPsOfPods": "IPs Of Pods", "IPv4Block": "IPv4 Block", "TLS": "TLS", "PodIP": "Pod IP",
		"S3": "S3", "APIServer": "API Server", "X": "X",
	} {
		if got := strings.Join(nameWords(name), " "); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	for _, tc := range [][3]string{
		{"Server", "TLS", "ServerTLS"}, {"TLS", "TLSConfig", "TLSConfig"}, {"HTTPRoute", "RouteMatch", "HTTPRouteMatch"},
		{"Server", "Server", "Server"},
	} {
		if got := joinNames(tc[0], tc[1]); got != tc[2] {
			t.Errorf("%s + %s: got %s, want %s", tc[0], tc[1], got, tc[2])
		}
	}
	for list, want := range map[string]string{
		"Ports": "Port", "HostAliases": "HostAlias", "PodIPs": "PodIP", "TLS": "TLS", "PortLevelMtls": "PortLevelMtls", "Data": "Data",
		"Metadata": "Metadata", "Sysctls": "Sysctl", "DNS": "DNS", "Redis": "Redis", "Policies": "Policy", "Match": "Match",
	} {
		if got := elementLabel(list); got != want {
			t.Errorf("%s: got %s, want %s", list, got, want)
		}
	}
}
