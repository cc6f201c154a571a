// Package kubebuilder reads a project of kubebuilder, so that opgen can take it over: PROJECT, the
// settings of controller-gen in its Makefile, the markers of its types, and what its main registers
// with the manager. It takes files and returns values; package project writes them.
package kubebuilder
