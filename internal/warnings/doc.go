// Package warnings knows what Kubernetes accepts and hurts its users later: fields that no client
// keeps exactly, names that kubectl takes for others, a CRD that is too large to apply. It looks at
// APIs without errors and says nothing of what their files accept.
//
//	Of   []*spec.API → spec.Problems, each with its Warning
package warnings
