// Package warnings finds what Kubernetes accepts although it will hurt users later. Examples are
// fields that not every client keeps exactly, names that kubectl takes for another kind, and a CRD
// that is too large for kubectl apply. It only looks at APIs without errors.
//
//	Of               []*spec.API                        → spec.Problems, each with its Warning
//	OfControllers    []*spec.Controller                 → the same
//	OfReadiness      all APIs of a project, what has children → the same
package warnings
