// Package e2e runs examples as their users do, from a fresh folder to Pods on a node: opgen init and create api, make
// image, docker-push, install and deploy, samples, an upgrade, undeploy and uninstall. Meanwhile the operator's Pods are
// killed. It has tests alone; make e2e runs them.
//
//	project_test.go         a project with the files of an example, and its make targets
//	operator_test.go        the Pods of an operator: the leader, a killed Pod, another leader
//	cluster_test.go         objects of the cluster: apply, wait, watch, ask a Pod over HTTP
//	echoserver_test.go, catset_test.go, podterminator_test.go, exampleapp_test.go, packages_test.go
//
// The tests of echo-server run first, one after the other, since both have the operator of that name. What they compile is
// then in Go's cache for the others, which run at once: they wait for Pods most of the time.
//
// The cluster is that of $OPGEN_E2E_KUBECONFIG, which has to run Pods, and the images go to $OPGEN_REGISTRY, from which its
// nodes have to be able to pull them. Without the first, the tests are skipped.
package e2e
