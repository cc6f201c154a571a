package spec

import (
	"strings"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// GoType is a Go type as its source declares it, for a schema node that refers to it by import
// path, such as github.com/cert-manager/cert-manager/pkg/apis/meta/v1.ObjectReference. Package
// gotypes sets it. Form, Copy and Elem have the meaning that they have in package kubetypes.
type GoType struct {
	Package, Name    string // import path, and name
	PackageName      string // what the package calls itself
	Form, Copy, Elem string
	Schema           apiextv1.JSONSchemaProps // what a field of this type has in a CRD
}

// GoTypeUse is a node that refers to a Go type by its import path.
type GoTypeUse struct {
	Schema  *Schema
	Pos     Pos    // of the name
	Path    string // of the node, such as spec.certificate
	Version int    // index of the version that has the node; the first that does
}

// goTypeName matches an import path and a name. It accepts more than valid ones, as package gotypes
// has the better messages, but not two elements with a version at the end, such as cor/v1.PodSpec:
// that is a misspelt Kubernetes type.
var goTypeName = lazyregexp.New(
	`^[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)+|/([A-Za-uw-z0-9_~-]|v[A-Za-z_.~-])[A-Za-z0-9._~-]*)\.[A-Za-z_][A-Za-z0-9_]*$`)

// SplitGoType returns the import path and the name of a Go type. It returns false for every other
// type, also for Kubernetes types such as core/v1.PodSpec.
func SplitGoType(name string) (importPath, typeName string, ok bool) {
	if kubernetesType().MatchString(name) || !goTypeName().MatchString(name) {
		return "", "", false
	}
	dot := strings.LastIndex(name, ".")
	return name[:dot], name[dot+1:], isImportPath(name[:dot])
}

func isGoType(name string) bool {
	_, _, ok := SplitGoType(name)
	return ok
}

// GoTypes returns the nodes of an API that refer to Go types by import path, also those in named
// types that it uses.
func (api *API) GoTypes() []GoTypeUse {
	var uses []GoTypeUse
	for i, v := range api.Versions {
		w := goTypeWalk{version: i, seen: map[*NamedType]bool{}}
		w.collectBelow(v.Root, "schema")
		w.collectBelow(v.Spec, "spec")
		w.collectBelow(v.Status, "status")
		uses = append(uses, w.uses...)
	}
	return uses
}

// goTypeWalk collects such nodes of one version.
type goTypeWalk struct {
	version int
	seen    map[*NamedType]bool
	uses    []GoTypeUse
}

func (w *goTypeWalk) collectBelow(s *Schema, path string) {
	switch {
	case s == nil:
		return
	case isGoType(s.Type):
		w.uses = append(w.uses, GoTypeUse{Schema: s, Pos: s.At["type"], Path: path, Version: w.version})
		return
	case s.Use != nil:
		if !w.seen[s.Use] {
			w.seen[s.Use] = true
			w.collectBelow(s.Use.Schema, "types."+s.Use.Name)
		}
		return
	}
	for _, p := range s.Properties {
		w.collectBelow(p.Schema, path+"."+p.Name)
	}
	w.collectBelow(s.Items, path+".items")
	w.collectBelow(s.AdditionalProperties, path+".additionalProperties")
}

// GoMarker is a marker in the comment of a Go type, such as +genclient.
type GoMarker struct {
	Pos  Pos
	Text string // from the plus sign on
}

// IsClientMarker reports whether a line of a comment is a marker that the generators of typed
// clients read.
func IsClientMarker(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "+genclient") || strings.HasPrefix(line, "+resourceName=")
}
