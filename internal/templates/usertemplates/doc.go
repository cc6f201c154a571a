// Package usertemplates renders the templates of a project's own: CI workflows, dashboards,
// documentation and whatever else a team has in each of its operators.
//
//	Read     folder           → Source         the text of its templates
//	Parse    Source           → *Set           each template with what it makes a file for
//	Render   *Set, Values     → []File         in memory
//
// The path of a template is a template, too, and says what it makes a file for: one whose path names
// .Version makes a file for each version of each API, one whose path names .API a file for each API,
// and any other one file for the project. Equal inputs give equal files on every machine, so that
// generating twice changes nothing: the functions are those of sprig that allow this. No template
// runs forever or fills the memory: loops, calls and results have limits.
//
// The types of values.go and values_operators.go are what templates see. docs/templates.md is written from their comments.
package usertemplates
