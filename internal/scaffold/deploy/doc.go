// Package deploy makes the Kubernetes objects that an operator is deployed with: its namespace, its
// Deployment, and roles with exactly the permissions that its spec implies.
//
//	Operator → []runtime.Object → YAML
//
// Package crdgen makes the CustomResourceDefinitions.
package deploy
