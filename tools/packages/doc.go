// Package packages has tests of the packages of operators: Helm's own library lints, renders and installs the charts, and
// the library of the Operator Lifecycle Manager validates the bundles. It is a module of its own, so that opgen does not
// require them.
package packages
