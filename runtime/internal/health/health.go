// Package health tells from a child's own status whether it is ready, by the
// rules of kstatus with three exceptions: a Job is ready when it is complete,
// a Pod in phase Failed has failed, and a pending PersistentVolumeClaim does
// not hold its parent up.
package health

import (
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// State is a child's health.
type State string

const (
	Ready      State = "Ready"      // does its work, or has done it
	InProgress State = "InProgress" // on its way
	Failed     State = "Failed"     // will not get there without a change
)

// Health is a child's state, and why it is not ready.
type Health struct {
	State   State
	Message string // a short phrase; empty when ready
}

// Of returns the health of an object.
func Of(object client.Object) Health {
	if object.GetDeletionTimestamp() != nil {
		return inProgress("being deleted")
	}
	return Health{State: Ready}
}

func inProgress(message string) Health { return Health{InProgress, message} }

func failed(message string) Health { return Health{Failed, message} }
