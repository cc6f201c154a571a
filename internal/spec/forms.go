package spec

import (
	"fmt"
	"go/token"
	"go/types"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/module"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/opgen-dev/opgen/internal/jsonschema"
	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// form is a form of text. Its patterns are those that both ECMAScript and Go have.
type form struct {
	pattern  string
	expects  string // what editors say where the pattern does not match
	examples []any
	most     int // the most characters; 0: as many as the pattern lets in
	// except returns words that match and that are not accepted; it may be nil.
	except func() []string
	// words returns the only texts; nil: the pattern says which.
	words func() []string
	// check returns what is wrong with a text, and what to do; an empty message is none.
	check func(text, path string) (message, hint string)
}

// formed returns a text of a form.
func formed(into *string, f *form) value {
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			text, ok := d.decodeText(n, path)
			if !ok {
				return
			}
			if message, hint := f.check(text, path); message != "" {
				d.fail(n, path, message, hint)
				return
			}
			*into = text
		},
		schema: func(*Language) *jsonschema.Schema { return f.schema() },
	}
}

// formedLater returns a text of a form that is checked once all of the file is known.
func formedLater(into *string, f *form) value {
	v := anyText(into)
	v.schema = func(*Language) *jsonschema.Schema { return f.schema() }
	return v
}

// emptyOr returns a text of a form, or the empty text.
func emptyOr(into *string, f *form) value {
	v := formed(into, f)
	return value{
		decode: func(d *decoder, n *yaml.Node, path string) {
			if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || n.Value != "" {
				v.decode(d, n, path)
			}
		},
		schema: func(*Language) *jsonschema.Schema { return f.orEmpty().schema() },
	}
}

// orEmpty returns a form that the empty text has, too, for editors.
func (f *form) orEmpty() *form {
	return &form{pattern: "^$|" + f.pattern, expects: f.expects}
}

func (f *form) schema() *jsonschema.Schema {
	if f.words != nil {
		return jsonschema.Words(f.words()...)
	}
	s := jsonschema.Matching(f.pattern, f.expects, f.examples...)
	s.MaxLength = f.most
	if f.except != nil {
		s.Not = jsonschema.Words(f.except()...)
	}
	return s
}

// checkWith returns a check that reports a text as not what it must be.
func checkWith(is func(string) bool, what, hint string) func(text, path string) (string, string) {
	return func(text, _ string) (string, string) {
		if is(text) {
			return "", ""
		}
		return quoteShort(text) + " is not " + what, hint
	}
}

// acceptWith returns a check that reports a text as not accepted.
func acceptWith(is func(string) bool, hint string) func(text, path string) (string, string) {
	return func(text, _ string) (string, string) {
		if is(text) {
			return "", ""
		}
		return quoteShort(text) + " is not accepted", hint
	}
}

// Parts of patterns.
const (
	dnsPart      = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
	labelPattern = `^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`
	nameSteps    = `(\.[A-Za-z_][A-Za-z0-9_-]*)+`
)

const labelHint = "use lower-case letters, digits and -, starting with a letter, at most 63 characters"

var labelForm = form{
	pattern: labelPattern,
	expects: "a DNS label: lower-case letters, digits and -, starting with a letter, at most 63 characters",
	check:   checkWith(isLabel, "a DNS label", labelHint),
}

var projectNameForm = form{
	pattern: labelPattern, expects: labelForm.expects, most: maxProjectName, examples: []any{"echo-operator"},
	check: acceptWith(func(name string) bool { return isLabel(name) && len(name) <= maxProjectName },
		fmt.Sprintf("use lower-case letters, digits and -, starting with a letter, at most %d characters", maxProjectName)),
}

var moduleForm = form{
	pattern:  `^[A-Za-z0-9_~-][A-Za-z0-9._~-]*(/[A-Za-z0-9._~-]+)*$`,
	expects:  "the path of a Go module",
	examples: []any{"example.com/echo-operator"},
	check: acceptWith(func(path string) bool {
		_, _, ok := module.SplitPathVersion(path)
		return ok && module.CheckImportPath(path) == nil
	}, "write the path of a Go module, such as example.com/echo-operator"),
}

var domainForm = form{
	pattern: `^` + dnsPart + `(\.` + dnsPart + `)*$`, most: validation.DNS1123SubdomainMaxLength,
	expects:  "a DNS name in lower case",
	examples: []any{"example.com"},
	check:    acceptWith(isSubdomain, "write a DNS name in lower case, such as example.com"),
}

// An element of the path is neither . nor .. and is not empty.
var headerFileForm = form{
	pattern: `^([^/.]|\.[^/.]|\.\.[^/])[^/]*(/([^/.]|\.[^/.]|\.\.[^/])[^/]*)*$`,
	expects: "a path from the folder of opgen.yaml", examples: []any{"hack/boilerplate.go.txt"},
	check: acceptWith(func(file string) bool { return fs.ValidPath(file) && file != "." },
		"write the path of a file below the project, such as hack/boilerplate.go.txt"),
}

var groupForm = form{
	pattern:  `^` + dnsPart + `(\.` + dnsPart + `)+$`,
	expects:  "a DNS name in lower case that is yours alone, such as demo.example.com",
	examples: []any{"demo.example.com"}, most: validation.DNS1123SubdomainMaxLength,
	check: func(group, _ string) (message, hint string) {
		switch {
		case !isSubdomain(group):
			return quoteShort(group) + " is not an API group", "write a DNS name in lower case, such as demo.example.com"
		case !strings.Contains(group, "."):
			return quoteShort(group) + " lacks a domain", "write a group that is yours alone, such as " + group + ".example.com"
		}
		return "", ""
	},
}

var (
	kindName     = lazyregexp.New(`^[A-Z][A-Za-z0-9]{0,62}$`)
	goIdentifier = lazyregexp.New(`^[A-Z][A-Za-z0-9_]*$`)
	versionName  = lazyregexp.New(`^[a-z][a-z0-9]{0,62}$`)
	asName       = lazyregexp.New(`^[A-Z][A-Za-z0-9]*$`)
)

// The names of kinds that are those of Go types, too.
var (
	kindForm      = withoutWords(goKindForm("EchoServer"), PackageNames)
	listKindForm  = goKindForm("EchoServerList")
	childKindForm = goKindForm("Deployment")
	typeNameForm  = goKindForm("TLS")
	constantForm  = goKindForm("TLSVersion12")
)

// withoutWords returns a form without some words that match, for editors.
func withoutWords(f form, words func() []string) form {
	f.except = words
	return f
}

func goKindForm(example string) form {
	return form{
		pattern: `^[A-Z][A-Za-z0-9]{0,62}$`, examples: []any{example},
		expects: "letters and digits, starting with a capital, at most 63 characters, such as " + example,
		check: func(text, path string) (message, hint string) {
			if kindName().MatchString(text) {
				return "", ""
			}
			return quoteShort(text) + " is not the name of a kind",
				"use letters and digits, starting with a capital, at most 63 characters, such as " + nearestKind(text) + goKindHint(path, text)
		},
	}
}

// goKindHint says how a kind that exists already can keep its name.
func goKindHint(path, text string) string {
	if path == "names.kind" && isLabel(strings.ToLower(text)) {
		return "; a kind that exists already keeps its name with goKind: " + nearestKind(text)
	}
	return ""
}

// anyKindForm is the form of every kind that a CRD can have.
var anyKindForm = form{
	pattern:  `^[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`,
	expects:  "letters, digits and -, starting with a letter, at most 63 characters",
	examples: []any{"EchoServer"},
	check: checkWith(func(kind string) bool { return isLabel(strings.ToLower(kind)) }, "the name of a kind",
		"use letters, digits and -, starting with a letter, at most 63 characters"),
}

// versionNameForm is that of a Go package, too.
var versionNameForm = form{
	pattern: `^[a-z][a-z0-9]{0,62}$`, expects: "lower-case letters and digits, such as v1alpha1",
	examples: []any{"v1alpha1"}, except: noPackageNames,
	check: func(name, _ string) (message, hint string) {
		switch {
		case !versionName().MatchString(name):
			return quoteShort(name) + " is not the name of a version", "use lower-case letters and digits, such as v1alpha1"
		case !isPackageName(name):
			return quoteShort(name) + " cannot be the name of a Go package", "use a version such as v1alpha1"
		}
		return "", ""
	},
}

// controllerNameForm is, without its dashes, that of a Go package, too.
var controllerNameForm = form{
	pattern: labelPattern, expects: labelForm.expects, except: noPackageNames,
	check: func(name, _ string) (message, hint string) {
		switch {
		case !isLabel(name):
			return quoteShort(name) + " is not the name of a controller", labelHint + ", such as service-per-pod"
		case !isPackageName((&Controller{Name: name}).Package()):
			return quoteShort(name) + " cannot be the name of a Go package", "choose another name, such as " + name + "-controller"
		}
		return "", ""
	},
}

var apiVersionForm = form{
	pattern: `^([a-z0-9]([-.a-z0-9]*[a-z0-9])?/)?[a-z]([-a-z0-9]*[a-z0-9])?$`,
	expects: "a group and a version, such as v1 or apps/v1", examples: []any{"v1", "apps/v1"},
	check: checkWith(func(text string) bool {
		group, version, grouped := strings.Cut(text, "/")
		if !grouped {
			return isLabel(group)
		}
		return isLabel(version) && isSubdomain(group)
	}, "an apiVersion", "such as v1 or apps/v1"),
}

const exampleGoType = "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1.Certificate"

var goTypeForm = form{
	pattern: `^[A-Za-z0-9._~/-]*[A-Za-z0-9_~-]\.[A-Z][A-Za-z0-9_]*$`,
	expects: "an import path and a type: import/path.Type", examples: []any{exampleGoType},
	check: checkWith(func(text string) bool {
		dot := strings.LastIndex(text, ".")
		return dot >= 0 && goIdentifier().MatchString(text[dot+1:]) && isImportPath(text[:dot])
	}, "a Go type", "such as "+exampleGoType),
}

var goFieldForm = form{
	pattern: `^[A-Z][A-Za-z0-9]*$`, expects: "an exported Go name", examples: []any{"Certificates"},
	check: func(text, _ string) (message, hint string) {
		if asName().MatchString(text) {
			return "", ""
		}
		return quoteShort(text) + " is not an exported Go name", "such as " + nearestKind(text)
	},
}

var objectNameForm = form{
	pattern: `^[^./%\s][^/%\s]*$`, expects: "the name of an object", examples: []any{"app-settings"}, most: 253,
	check: func(name, _ string) (message, hint string) {
		message = quoteShort(name) + " is not the name of an object"
		switch {
		case strings.HasPrefix(name, "."):
			return message, "for a field of the parent write nameFrom: " + name
		case name == "" || len(name) > 253 || strings.ContainsAny(name, "/% \t\n"):
			return message, "such as app-settings, at most 253 characters"
		}
		return "", ""
	},
}

var parentPath = lazyregexp.New(`^` + nameSteps + `$`)

// parentPathForm returns the form of a path of fields of the parent: no items, since those have no
// names that stay.
func parentPathForm(example string) form {
	return form{
		pattern: `^` + nameSteps + `$`, examples: []any{example},
		expects: "a path of fields of the parent, such as " + example,
		check:   checkParentPath,
	}
}

var (
	nameFromForm     = parentPathForm(".spec.configMapName")
	selectorFromForm = parentPathForm(".spec.selector")
)

func checkParentPath(text, _ string) (message, hint string) {
	hint = "such as .spec.settings"
	switch {
	case parentPath().MatchString(text):
		return "", ""
	case parentPath().MatchString("." + text):
		hint = "a path starts with a dot: ." + text
	case strings.Contains(text, "["):
		hint = "items of lists have no path: write dynamic: true, and the Related method says which objects"
	}
	return quoteShort(text) + " is not a path of fields of the parent", hint
}

var namespaceForm = form{
	pattern: `^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`, expects: "the name of a namespace", examples: []any{"kube-system"},
	check: checkWith(isNamespace, "the name of a namespace", "use lower-case letters, digits and -, at most 63 characters"),
}

// pathBelow returns the form of a path of fields below .spec, .status or either. The path is checked
// against the schema of its version.
func pathBelow(roots, example string) form {
	return form{
		pattern: `^\.(` + roots + `)(\.[^.\[\]]+)+$`, examples: []any{example},
		expects: "a path of fields below ." + strings.ReplaceAll(roots, "|", " or .") + ", such as " + example,
	}
}

var (
	specReplicasForm    = pathBelow("spec", ".spec.replicas")
	statusReplicasForm  = pathBelow("status", ".status.replicas")
	scaleSelectorForm   = pathBelow("spec|status", ".status.selector")
	selectableFieldForm = pathBelow("spec|status", ".spec.mode")
)

var columnPathForm = form{
	pattern: `^\.([^\[]|\[.*\])*$`, expects: "a JSON path, which starts with a dot", examples: []any{".status.phase"},
}

var rulePathForm = form{pattern: `^(\.|\[)`, expects: "a path that starts with a dot", examples: []any{".minReplicas"}}

// minKubernetesForm is one of a few versions.
var minKubernetesForm = form{
	words: kubernetesVersions,
	check: func(version, _ string) (message, hint string) {
		if err := CheckMinKubernetes(version); err != nil {
			return quoteShort(version) + " is not accepted", err.Error()
		}
		return "", ""
	},
}

// kubernetesVersions returns the versions that may be the oldest that CRDs work on.
func kubernetesVersions() []string {
	var all []string
	for minor := oldestKubernetes; minor <= newestKubernetes; minor++ {
		all = append(all, "1."+strconv.Itoa(minor))
	}
	return all
}

// noPackageNames returns the words that no Go package can have as its name and that others import.
func noPackageNames() []string {
	names := []string{"internal", "vendor", "testdata", "main", "init", "aux", "con", "nul", "prn"}
	for n := 1; n < 10; n++ {
		names = append(names, fmt.Sprintf("com%d", n), fmt.Sprintf("lpt%d", n))
	}
	for t := token.BREAK; t <= token.VAR; t++ {
		names = append(names, t.String())
	}
	for _, name := range types.Universe.Names() {
		if name[0] >= 'a' {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isPackageName reports whether a folder of this name can hold a Go package that others import by
// its name. Go modules have no folders that Windows has other uses for, such as aux.
func isPackageName(name string) bool {
	return !token.IsKeyword(name) && types.Universe.Lookup(name) == nil && module.CheckImportPath("example.com/"+name) == nil &&
		!slices.Contains([]string{"internal", "vendor", "testdata", "main", "init"}, name)
}

func isLabel(name string) bool { return len(validation.IsDNS1035Label(name)) == 0 }

func isSubdomain(name string) bool { return len(validation.IsDNS1123Subdomain(name)) == 0 }

func isNamespace(name string) bool { return len(validation.IsDNS1123Label(name)) == 0 }

// isImportPath reports whether a path may be the import path of a Go package.
func isImportPath(path string) bool {
	return module.CheckImportPath(path) == nil && !strings.HasSuffix(path, "/")
}
