// Package cluster is a local Kubernetes without Docker: etcd, kube-apiserver, kube-controller-manager and kubectl
// in one binary that is built once from Go modules, and control planes made of it.
//
//	Build       sources (module/) -> Assets    once per cache, opgen and Go version; minutes
//	            a release has them beside opgen: then they are copied
//	BuildNode   the same, with what a node needs besides
//	OpenAssets  directory -> Assets            executables that exist: nothing is built
//	Up          Options -> *Outcome            a control plane on loopback; seconds
//	List        state directory -> []Status    what runs, found by pid and process start
//	Down        name -> nothing left of it
//
// With a node (Linux, root), the record has one process: the supervisor, the first one of namespaces that hold the
// whole cluster, and whose end is the end of everything in them. nodemodule/supervisor is its source.
//
// The binary's main module is separate from opgen's, because Kubernetes pins other versions of k8s.io modules. It
// is embedded as templates: go:embed stops at a nested go.mod.
//
// Nothing half-made is ever trusted. A build happens in a temporary directory that is renamed when it is complete.
// A process of an instance starts as a shell that is blocked on a pipe. It becomes its program only once its pid is
// on record, so a starter that dies leaves nothing behind that a later Up or Down would not find. Whether a recorded
// process still runs is decided by its pid and its start time together.
package cluster
