// Package usertemplates renders the templates of authors: CI workflows, dashboards, documentation
// and whatever else a team has in each of its operators.
//
//	Read     folder           → Source         the text of its templates
//	Parse    Source           → *Set           each template with what it makes a file for
//	Render   *Set, Values     → []File         in memory
//
// The path of a template is a template, too, and decides how many files it makes: one for each
// version of each API if the path names .Version, one for each API if it names .API, and otherwise
// one.
//
// Equal inputs give equal files on every machine, so that generating twice changes nothing. Only
// those functions of sprig are available that allow this.
//
// No template runs forever or fills the memory: what a call, an action, a loop or a template costs is bounded before it
// costs, for a file and for all files of a folder (run.go, limits.go, measure.go). TestAttacks and FuzzFunctions try to.
//
// Templates see the types of values.go and values_operators.go. docs/templates.md is generated from
// the comments there.
package usertemplates
