// Package simulation holds the children of one parent in memory, and carries out on them what Sync
// desires.
//
//	world.go      World: the children of each kind, and what a snapshot shows of them
//	apply.go      the desired children become the observed ones
//	order.go      which of them wait, and which are refused
//	prune.go      the undesired children go
//	content.go    objects as JSON values; three-way merges
//	generate.go   generated values of Secrets
//	parent.go     what a response says of the parent
//	kubelet.go    children get ready, fail and crash
package simulation
