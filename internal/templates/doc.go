// Package templates renders the text files of a project: Go code, make, Docker and module files,
// documents.
//
//	view (a value with methods) + files/….tmpl → []byte
//
// There is one template for each kind of file. A template branches and ranges; what takes thought
// is a method of its view, and nothing is decided here: what a project consists of, and under which
// paths, is package scaffold's. Views hold strings from spec files; a template writes them into
// text only where spec has restricted them to names, or quoted for the language of the file.
package templates
