package spec

import "strings"

// Controller is one file of controllers/: an operator for kinds that are not from this project.
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

// Parent is a kind that a Controller operates, with selectors for its objects.
type Parent struct {
	Resource
	Labels, Annotations string // selectors in kubectl's syntax; empty: all objects
}

// Package returns the name of the Go package of the controller, which is also its folder in
// internal/.
func (c *Controller) Package() string { return strings.ReplaceAll(c.Name, "-", "") }

// Group returns the DNS name with which the controller's labels, annotations and finalizer begin:
// <name>.<domain of the project>.
func (c *Controller) Group(p *Project) string { return c.Name + "." + p.Domain }

// groupKind returns the kind and its API group, such as Deployment.apps, which are the same in all
// versions.
func (r Resource) groupKind() string { return r.Kind + "." + r.group() }

// group returns the API group of the kind, and "" for the core group.
func (r Resource) group() string {
	group, _, found := strings.Cut(r.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

// PositionOf returns the position of a key such as parents[0].kind. If the file does not have the
// key, it returns the position of the closest key above it.
func (c *Controller) PositionOf(path string) Pos { return nearestPosition(c.At, path, c.Pos) }
