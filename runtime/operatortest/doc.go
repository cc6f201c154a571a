// Package operatortest tests operators made with opgen, in two ways.
//
// [Run] calls Sync or Finalize with a request made of plain objects and
// compares the response: given, expect. It needs no cluster.
//
// [Start] runs the operator against a real API server, in a namespace of its
// own. The test creates parents, waits for what becomes of them
// ([Cluster.Matches], [Cluster.Gone]), orders passes ([Cluster.Reconcile]), plays
// the kubelet ([Cluster.MakeReady]), puts the clock forward ([Cluster.Advance])
// and proves that the operator comes to rest ([Cluster.Converged]) and tells the truth
// about its children ([Cluster.Truthful]). It lets requests go wrong
// ([Cluster.Inject]), crashes the operator ([Cluster.Crash]) and sets up admission
// ([Cluster.Mutate], [Cluster.Deny]).
//
// Start takes the cluster from the variable OPGEN_TEST_KUBECONFIG and skips the
// test where that is not set; KUBECONFIG is never looked at, so no test touches a
// cluster by mistake. Requests are counted at the operator's client, and read
// from the API server's audit log where OPGEN_AUDIT_LOG is its path.
package operatortest
