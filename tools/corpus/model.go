package main

import (
	"strings"

	"github.com/opgen-dev/opgen/internal/gomodel"
)

// model is a generated Go package with its types by name.
type model struct {
	pkg   gomodel.Package
	types map[string]gomodel.Type
}

func newModel(pkg gomodel.Package) model {
	m := model{pkg, map[string]gomodel.Type{}}
	for _, t := range pkg.Types {
		m.types[t.Name] = t
	}
	return m
}

// rootType returns the Go type of the package's kind; each CRD has a package of its own.
func (m model) rootType() *gomodel.GoType {
	return &gomodel.GoType{Shape: gomodel.Name, Name: m.pkg.Kinds[0].Name}
}

// resolveType returns what a type is without pointers and the names that only stand for another
// type. The struct is the declaration when it is one of the package.
func (m model) resolveType(t *gomodel.GoType) (*gomodel.GoType, *gomodel.Type) {
	for t != nil {
		if t.Shape == gomodel.Pointer {
			t = t.Elem
			continue
		}
		declared, ours := m.types[t.Name]
		switch {
		case t.Shape != gomodel.Name || t.Package != "" || !ours:
			return t, nil
		case declared.Of != nil:
			t = declared.Of
		case len(declared.Fields) == 1 && declared.Fields[0].Tag == ",inline":
			t = declared.Fields[0].Type
		default:
			return t, &declared
		}
	}
	return nil, nil
}

// fieldByKey returns the type of the field that has a key, nil when there is none.
func fieldByKey(t *gomodel.Type, key string) *gomodel.GoType {
	for _, f := range t.Fields {
		if name, _, _ := strings.Cut(f.Tag, ","); name == key {
			return f.Type
		}
	}
	return nil
}

const (
	metaPackage     = "k8s.io/apimachinery/pkg/apis/meta/v1"
	quantityPackage = "k8s.io/apimachinery/pkg/api/resource"
	runtimePackage  = "k8s.io/apimachinery/pkg/runtime"
	apiextPackage   = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// isKubernetesType reports whether a type is one of Kubernetes by its package and name.
func isKubernetesType(t *gomodel.GoType, importPath, name string) bool {
	return t.Shape == gomodel.Name && t.Package == importPath && t.Name == name
}

// isOpen reports whether a type holds anything.
func isOpen(t *gomodel.GoType) bool {
	return isKubernetesType(t, apiextPackage, "JSON") || isKubernetesType(t, runtimePackage, "RawExtension")
}
