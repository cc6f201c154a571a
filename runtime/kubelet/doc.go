// Package kubelet writes what nodes and controllers report, where there are none: the status of
// Pods that run, have ended or crash, of Jobs and Deployments that fail, and the conditions of custom
// resources.
//
// It changes objects in memory alone. The test harness (runtime/operatortest) and the command
// "opgen cluster ready" read and write them. The package links neither an operator nor a client of
// the API server, so that both may import it.
//
//	play.go        a node for all Pods: they run or succeed, unless it lacks their image
//	pods.go        Pods
//	workloads.go   Jobs and Deployments that fail; workloads that are ready, where no controller says so
//	conditions.go  custom resources
package kubelet
