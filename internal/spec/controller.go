package spec

import "strings"

// Controller is one file of controllers/: an operator for kinds that exist already.
type Controller struct {
	File           string
	Pos            Pos
	Name           string   // a DNS label, and that of the file
	Parents        []Parent // at least one, each of another kind
	ParentMetadata bool     // Sync may set labels and annotations of parents
	Operator       *Operator
	AcceptWarnings []Warning      // of these, nothing is said
	At             map[string]Pos // the position of each key by its path, such as parents[0].kind
}

// Parent is a kind that a Controller operates, and which of its objects.
type Parent struct {
	Resource
	Labels, Annotations string // selectors in kubectl's syntax; empty: all objects
}

// Package is the name of the Go package of the controller, and of its folder in internal/.
func (c *Controller) Package() string { return strings.ReplaceAll(c.Name, "-", "") }

// Group is the DNS name, below the domain of the project, that the controller's own labels,
// annotations and finalizer begin with.
func (c *Controller) Group(p *Project) string { return c.Name + "." + p.Domain }

// groupKind returns what tells a kind from all others, whatever its version.
func (r Resource) groupKind() string { return r.Kind + "." + r.group() }

// group returns the API group of the kind, empty for the core group.
func (r Resource) group() string {
	group, _, found := strings.Cut(r.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

// Place returns the position of a key such as parents[0].kind, and that of the nearest key above it
// when the file leaves the key out.
func (c *Controller) Place(path string) Pos { return nearestPosition(c.At, path, c.Pos) }
