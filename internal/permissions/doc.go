// Package permissions compares the roles of manifests, permission by permission, and names the dangerous ones.
//
//	Parse    manifests  → []Permission   one verb of one resource in one place each
//	Compare  two of them → []Change      verbs that come or go together in one
//	Danger   Permission → what whoever has it can do beyond the resource
package permissions
