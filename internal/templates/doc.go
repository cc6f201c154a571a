// Package templates renders the text files of a project: Go code, make, Docker and module files,
// documents.
//
//	view (a value with methods) + files/….tmpl → []byte
//
// There is one template for each kind of file. A template only branches and loops; a method of its
// view computes what it prints. Package scaffold decides which files a project has, and at which
// paths.
//
// Views contain strings from spec files. A template may print such a string only if package spec
// has restricted it to a name, or if it is quoted for the language of the file. Otherwise a
// description could inject code.
package templates
