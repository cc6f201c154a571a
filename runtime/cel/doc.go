// Package cel evaluates rules over objects in the Common Expression Language, with the functions
// that Kubernetes adds to it. Generated code uses it for the readyWhen rules of children. An
// operator without such rules does not link it.
package cel
