// Package operatortest tests operators made with opgen, in two ways.
//
// [Run] calls Sync or Finalize with a request made of plain objects and
// compares the response: given, expect. It needs no cluster.
//
// [Start] runs the operator against a real API server, in a namespace of its
// own, and can tell which requests the operator made. It takes the cluster
// from the variable OPGEN_TEST_KUBECONFIG and skips the test where that is not
// set; KUBECONFIG is never looked at, so no test touches a cluster by mistake.
// Requests are read from the API server's audit log, whose path is in
// OPGEN_AUDIT_LOG.
package operatortest
