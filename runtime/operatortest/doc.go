// Package operatortest tests operators made with opgen, in three ways.
//
// [Run] calls Sync or Finalize with a request made of plain objects, and compares the response with
// the expected one. It needs no cluster.
//
// [Simulate] calls Sync again and again, and carries out in memory what it returns: the desired
// children are the observed ones of the next step ([Simulation.Step]). It needs no cluster either.
//
// [Start] runs the operator against a real API server, in its own namespace. The test creates
// parents, waits for results ([Cluster.Matches], [Cluster.Gone]), makes the operator reconcile
// ([Cluster.Reconcile]), acts as the kubelet ([Cluster.MakeReady]) and moves the clock
// ([Cluster.Advance]). It checks that the operator converges ([Cluster.Converged]) and reports the
// state of its children truthfully ([Cluster.Truthful]). It makes requests fail ([Cluster.Inject]),
// crashes the operator ([Cluster.Crash]) and sets up admission ([Cluster.Mutate], [Cluster.Deny]).
//
// Start takes the cluster from the variable OPGEN_TEST_KUBECONFIG, and skips the test if it is not
// set. It never reads KUBECONFIG, so that no test uses another cluster by accident. Each wait for
// the cluster ends after a minute, or after the duration in OPGEN_TEST_PATIENCE. Start counts
// requests at the operator's client, and reads them from the API server's audit log if
// OPGEN_AUDIT_LOG is its path.
package operatortest
