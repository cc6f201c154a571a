// Package usertemplates renders the templates of a project's own: CI workflows, dashboards, documentation and whatever
// else a team has in each of its operators.
//
// Parse reads the templates of a folder. The path of each is a template, too, and says what it makes a file for: one
// whose path names .Version makes a file for each version of each API, one whose path names .API a file for each API,
// and any other one file for the project. Render makes the files in memory. Equal inputs give equal files on every
// machine, so that generating twice changes nothing: the functions are those of sprig that allow this.
package usertemplates
