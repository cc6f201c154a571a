package spec

import (
	"fmt"
	"go/token"
	"go/types"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// Parts of patterns.
const (
	dnsPart      = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
	labelPattern = `^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$`
	nameSteps    = `(\.[A-Za-z_][A-Za-z0-9_-]*)+`
	// escapedNameSteps are the steps of a path of fields, in which a dot in a name is escaped.
	escapedNameSteps = `(\.([A-Za-z0-9_/-]|\\\.)+)+`
)

var escapedPath = lazyregexp.New(`^` + escapedNameSteps + `$`)

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

var secretNameForm = form{
	pattern: `^` + dnsPart + `(\.` + dnsPart + `)*$`, most: validation.DNS1123SubdomainMaxLength,
	expects:  "the name of a Secret",
	examples: []any{"webhook-server-cert"},
	check:    acceptWith(isSubdomain, "write the name of a Secret, such as webhook-server-cert"),
}

// baseImageForm is the name of an image with its digest, so that the image stays the same.
var baseImageForm = form{
	pattern: baseImagePattern, expects: "the name of an image with its digest",
	examples: []any{"registry.example.com/base@sha256:" + strings.Repeat("0123456789abcdef", 4)},
	check: acceptWith(func(image string) bool { return baseImage().MatchString(image) },
		"write the name of an image with its digest, REF@sha256:…, which opgen image --base REF looks up"),
}

const baseImagePattern = `^[a-z0-9][a-z0-9._:/-]*(:[A-Za-z0-9_][A-Za-z0-9._-]*)?@sha256:[0-9a-f]{64}$`

var baseImage = lazyregexp.New(baseImagePattern)

var domainForm = form{
	pattern: `^` + dnsPart + `(\.` + dnsPart + `)*$`, most: validation.DNS1123SubdomainMaxLength,
	expects:  "a DNS name in lower case",
	examples: []any{"example.com"},
	check:    acceptWith(isSubdomain, "write a DNS name in lower case, such as example.com"),
}

// headerFileForm is the path of a file in the project. It has no empty elements, no . and no ..
var headerFileForm = form{
	pattern: `^([^/.]|\.[^/.]|\.\.[^/])[^/]*(/([^/.]|\.[^/.]|\.\.[^/])[^/]*)*$`,
	expects: "a path from the folder of opgen.yaml", examples: []any{"hack/boilerplate.go.txt"},
	check: acceptWith(func(file string) bool { return fs.ValidPath(file) && file != "." },
		"write the path of a file below the project, such as hack/boilerplate.go.txt"),
}

var makeTargetPrefixForm = form{
	pattern: `^[a-z][a-z0-9]*-$`,
	expects: "lower-case letters and digits that end in -", examples: []any{"opgen-"},
	check: acceptWith(func(prefix string) bool { return makeTargetPrefix().MatchString(prefix) },
		"write lower-case letters and digits, and - at the end, such as opgen-"),
}

var makeTargetPrefix = lazyregexp.New(`^[a-z][a-z0-9]*-$`)

var templatesForm = form{
	pattern: `^([^/.@\\]|\.[^/.@\\]|\.\.[^/@\\])[^/@\\]*(/([^/.@\\]|\.[^/.@\\]|\.\.[^/@\\])[^/@\\]*)*$`,
	expects: "a folder below that of opgen.yaml, or the path of a folder in a Go module", examples: []any{"templates", "example.com/house/templates"},
	check: func(folder, _ string) (message, hint string) {
		path, version, versioned := strings.Cut(folder, "@")
		switch {
		case versioned && InModule(path):
			return quoteShort(folder) + " has a version", "write " + path + ": tools.mod says which version; to choose one: go get -modfile=tools.mod " + path + "@" + version
		case fs.ValidPath(folder) && folder != "." && !versioned && !strings.Contains(folder, `\`) && (!InModule(folder) || module.CheckImportPath(folder) == nil):
			return "", ""
		}
		return quoteShort(folder) + " is not accepted", "write a folder below the project, such as templates, or the path of a folder in a Go module, such as example.com/house/templates"
	},
}

// InModule reports whether a folder of templates belongs to a Go module, not to the project. As in
// Go, the first element of its path has a dot, as in github.com/example/templates.
func InModule(folder string) bool {
	first, _, _ := strings.Cut(folder, "/")
	return strings.Index(first, ".") > 0
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

// The names of kinds that can also be names of Go types.
var (
	kindForm      = withoutWords(goKindForm("EchoServer"), PackageNames)
	listKindForm  = goKindForm("EchoServerList")
	childKindForm = goKindForm("Deployment")
)

// withoutWords returns a form with words added that it does not accept, for editors.
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

// goKindHint returns the hint for a kind that cannot be a Go type: set goKind.
func goKindHint(path, text string) string {
	if path == "names.kind" && isLabel(strings.ToLower(text)) {
		return "; a kind that exists already keeps its name with goKind: " + nearestKind(text)
	}
	return ""
}

// anyKindForm is the form of all kinds that a CRD can have.
var anyKindForm = form{
	pattern:  `^[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`,
	expects:  "letters, digits and -, starting with a letter, at most 63 characters",
	examples: []any{"EchoServer"},
	check: checkWith(func(kind string) bool { return isLabel(strings.ToLower(kind)) }, "the name of a kind",
		"use letters, digits and -, starting with a letter, at most 63 characters"),
}

// versionNameForm is the name of a version, which is also the name of a Go package.
var versionNameForm = form{
	pattern: `^[a-z][a-z0-9]{0,62}$`, expects: "lower-case letters and digits, such as v1alpha1",
	examples: []any{"v1alpha1"}, except: reservedPackageNames,
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

// controllerNameForm is the name of a controller. Without its dashes, it is also the name of a Go
// package.
var controllerNameForm = form{
	pattern: labelPattern, expects: labelForm.expects, except: reservedPackageNames,
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

// kubernetesVersions returns the versions that minKubernetes can have.
func kubernetesVersions() []string {
	var all []string
	for minor := oldestKubernetes; minor <= newestKubernetes; minor++ {
		all = append(all, "1."+strconv.Itoa(minor))
	}
	return all
}

// reservedPackageNames returns the words that cannot be the name of a Go package that others
// import.
func reservedPackageNames() []string {
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

// isPackageName reports whether a name can be that of an importable Go package and of its folder.
// Go modules cannot have folders with names that Windows reserves, such as aux.
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
