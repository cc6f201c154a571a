package main

// original is what an example is built after: its name in its framework, and the lines of its code, which are neither
// blank nor comments. Manifests do not count, nor do generated files, tests and servers that many examples share.
type original struct {
	of    string
	lines int
}

// originals are those of metacontroller/metacontroller at 175eac0 (examples/*/manifest/sync.*, of hello-world and
// update-strategy the script within the guide or the manifest), psFried/roperator at 883d353 (examples/*/main.rs, of busybox
// the example in src/lib.rs) and spotahome/kooper at 458109d (of echo-pod and traced-controller v0.8.0).
var originals = map[string]original{
	"bluegreen":             {"Metacontroller, JavaScript", 101},
	"busybox":               {"Roperator, Rust", 40},
	"catset":                {"Metacontroller, JavaScript", 98},
	"clustered-parent":      {"Metacontroller, Python", 24},
	"configmap-list":        {"Metacontroller, Python", 64},
	"configmap-propagation": {"Metacontroller, Python", 85},
	"crd-roles":             {"Metacontroller, Python", 22},
	"daemon-job":            {"Metacontroller, Python", 53},
	"echo-pod":              {"Kooper, Go", 67},
	"echo-server":           {"Roperator, Rust", 143},
	"global-configmap":      {"Metacontroller, Python", 87},
	"hello-world":           {"Metacontroller, Python", 36},
	"indexed-job":           {"Metacontroller, Python", 66},
	"namespace-list":        {"Metacontroller, Python", 61},
	"pod-logger":            {"Kooper, Go, five examples", 79 + 107 + 119 + 122 + 120},
	"pod-terminator":        {"Kooper, Go", 477},
	"secret-propagation":    {"Metacontroller, Python", 89},
	"service-per-pod":       {"Metacontroller, Jsonnet", 41},
	"temp-namespace":        {"Roperator, Rust", 165},
	"traced-controller":     {"Kooper, Go", 229},
	"update-strategy":       {"Metacontroller, Python", 36},
}
