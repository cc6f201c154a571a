// Package deploy makes the Kubernetes objects that an operator is deployed with: its namespace, its
// role with the rights that its spec implies and no other, and its Deployment.
//
//	Operator → []runtime.Object → YAML
//
// The CustomResourceDefinitions are package crdgen's.
package deploy
