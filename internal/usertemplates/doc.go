// Package usertemplates renders the templates of a project's own.
package usertemplates
