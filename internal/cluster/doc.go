// Package cluster is a local Kubernetes without Docker: etcd, kube-apiserver, kube-controller-manager and kubectl
// in one binary that is built once from Go modules, and control planes made of it.
//
//	Build       sources (module/) -> Assets    once per cache, opgen and Go version; minutes
//	OpenAssets  directory -> Assets            executables that exist: nothing is built
//	Up          Options -> *Outcome            a control plane on loopback; seconds
//	List        state directory -> []Status    what runs, found by pid and process start
//	Down        name -> nothing left of it
//
// The binary's main module is separate from opgen's, because Kubernetes pins other versions of k8s.io modules. It
// is embedded as templates: go:embed stops at a nested go.mod.
//
// Nothing half-made is ever trusted. A build happens in a temporary directory that is renamed when it is complete.
// A process of an instance starts as a shell that is blocked on a pipe. It becomes its program only once its pid is
// on record, so a starter that dies leaves nothing behind that a later Up or Down would not find. Whether a recorded
// process still runs is decided by its pid and its start time together.
package cluster
