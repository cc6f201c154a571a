// Package cel evaluates rules over objects in the Common Expression Language, with the functions that Kubernetes has
// for it. The code that opgen generates uses it for the readyWhen rules of children; an operator without such rules does
// not link it.
package cel
