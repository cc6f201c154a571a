package health

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Rules say when the objects of a kind are ready and have finished, as far as the kind alone does not. The zero value
// adds nothing to the rules for the kind.
type Rules struct {
	// ReadyWhen reports whether an object is ready, in place of the rules for its kind. An error is
	// a reason why it is not. Nil: those rules.
	ReadyWhen func(client.Object) (bool, error)
	// FinishedWhen reports whether an object has finished, so that a history drops it. Nil: a Job has
	// when it is complete or has failed, a Pod when it succeeded or failed; other kinds never have.
	FinishedWhen func(client.Object) (bool, error)
	// LacksStatus says that the kind has no status subresource, so that nobody need say of an object
	// that it is ready.
	LacksStatus bool
}

// Of returns the health of an object in its present generation. An object that is not ready by the author's
// rule and has failed by the rules for its kind has failed.
func (r Rules) Of(object client.Object) Health {
	if r.ReadyWhen == nil || object.GetDeletionTimestamp() != nil {
		return r.ofKind(object)
	}
	isReady, err := r.ReadyWhen(object)
	if err == nil && isReady {
		if !r.LacksStatus && dependsOnFormer(r.ReadyWhen, object) {
			return inProgress(unseenChange)
		}
		return Health{State: Ready}
	}
	if byKind := r.ofKind(object); byKind.State == Failed {
		return byKind
	}
	if err != nil {
		return inProgress("is not ready: " + err.Error())
	}
	return inProgress("is not ready")
}

// IsFinished reports whether an object has finished.
func (r Rules) IsFinished(object client.Object) bool {
	if r.FinishedWhen == nil {
		return IsFinished(object)
	}
	isFinished, err := r.FinishedWhen(object)
	return isFinished && err == nil
}

// LacksStatus reports whether the API server serves a kind without a status subresource. served
// are the resources of the version of its group. Of a kind that is not among them, it reports false.
func LacksStatus(served *metav1.APIResourceList, kind string) bool {
	names := map[string]bool{}
	plural := ""
	for _, resource := range served.APIResources {
		names[resource.Name] = true
		if resource.Kind == kind && !strings.Contains(resource.Name, "/") {
			plural = resource.Name
		}
	}
	return plural != "" && !names[plural+"/status"]
}
