// Package requests records the requests of an operator: those that its client sends ([Transport],
// [Log]), and those that the API server has logged ([Audit]).
package requests
