// Package deployment puts the manifests of a project into a cluster, and takes them out again, as
// kubectl and kustomize would and without either.
//
//	Render     a kustomization -> []*Object        in the order in which they are applied
//	Connect    a kubeconfig -> *Cluster            the API server that kubectl would talk to
//	Apply      []*Object -> []Change               server-side apply; waits for CRDs
//	AwaitRollout  []*Object                        until the Deployments run what was applied
//	PlanRemoval  []*Object -> *RemovalPlan         what may hold users' data stays
//	Remove     *RemovalPlan -> []Change            as the plan says
//	Count      []*Object -> []Data                 the objects that go with CRDs
//	DeleteCRDs []Data -> []Change                  the CRDs, with their objects
//
// Two requests tell which kinds the API server serves, so that no package with all types of
// Kubernetes is linked.
package deployment
