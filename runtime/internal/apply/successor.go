package apply

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A child that makes room for another object is deleted only if the API server would create that. A dry run of the
// create says so. It has the child's own name, so that whatever decides by names sees it: the API server answers that the
// name is taken once everything else has accepted the object.
//
//	accepted, or the name is taken                   the child makes room
//	refused for what the old objects hold            likewise: a quota that is full with them, a port, an address, a host
//	refused otherwise                                the old objects stay, and the refusal is the child's error
//	no answer: a webhook without dry run, a timeout  the child makes room, and the caller says that it is unknown

// ErrSuccessorRefused says that the API server would refuse the object for which another one would be deleted.
type ErrSuccessorRefused struct{ err error }

func (e ErrSuccessorRefused) Error() string {
	return "the old object stays until the API server accepts the new one: " + e.err.Error()
}

// Unwrap returns the API server's own error.
func (e ErrSuccessorRefused) Unwrap() error { return e.err }

// CheckSuccessor asks whether the API server would create a desired child once the old objects are gone. observed is the
// child as it is; nil: there is none. refusal is a backoff.Failed of [ErrSuccessorRefused] if it would not; it is not
// asked again before that is due. unknown says why it could not be asked; nil: it could.
func (a *Applier) CheckSuccessor(ctx context.Context, now time.Time, state *AppliedState, d Desired, observed client.Object, old ...client.Object) (refusal, unknown error) {
	b, uid := &state.budgetOf(d.Key()).Budget, uidOf(observed)
	if err := b.Replay(now, d.digest, uid); err != nil {
		return err, nil
	}
	_, err := a.newClient().createChild(ctx, d.asNew().withoutHeld(old), client.DryRunAll)
	switch {
	case err == nil, isNameConflict(err), isHeldBy(err, d, old):
		b.Succeeded()
		return nil, nil
	case lacksAnswer(err):
		return nil, hideSecrets(err, d, nil)
	}
	return b.Fail(now, d.digest, uid, hideSecrets(ErrSuccessorRefused{err}, d, nil)), nil
}

// isNameConflict reports whether the API server refuses an object only since its name is taken. A webhook may say the same.
func isNameConflict(err error) bool {
	return apierrors.IsAlreadyExists(err) && !strings.Contains(err.Error(), "denied the request")
}

// lacksAnswer reports whether an error says nothing about the object, and may be the same next time: a webhook takes no
// dry run, or the API server has not answered in time. Whatever else passes by itself is asked again.
func lacksAnswer(err error) bool {
	late, _ := errors.AsType[net.Error](err)
	return strings.Contains(err.Error(), "does not support dry run") ||
		apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) || late != nil && late.Timeout()
}

// isHeldBy reports whether the API server refuses an object only for what old objects hold, which they give up when they
// are deleted: what is left of a quota, or a host of which a webhook says who has it.
func isHeldBy(refusal error, d Desired, old []client.Object) bool {
	if _, text, isQuota := strings.Cut(refusal.Error(), "exceeded quota: "); isQuota {
		return !exceedsWithout(text, d, old)
	}
	return isRefused(refusal) && len(refusedFields(refusal)) == 0 && slices.ContainsFunc(old, func(object client.Object) bool {
		return object.GetName() != d.Name.Name && slices.Contains(wordsOf(refusal.Error()), client.ObjectKeyFromObject(object).String())
	})
}

// wordsOf returns the words of a text, such as numbers, addresses and names.
func wordsOf(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \"'`[](){},;", r) })
	for i := range words {
		words[i] = strings.Trim(words[i], ":.")
	}
	return words
}

// allocated are the fields of a Service, and of its ports, for which the API server has a place for one object.
var allocated = []string{"nodePort", "healthCheckNodePort", "clusterIP"}

// withoutHeld returns the desired state without the ports and addresses that old Services have. The API server allocates
// these first, and its refusal would hide all others. An object of which only the metadata is known may have all of them.
func (d Desired) withoutHeld(old []client.Object) Desired {
	if d.Kind.GroupKind() != corev1.SchemeGroupVersion.WithKind("Service").GroupKind() {
		return d
	}
	used, isUnknown := map[string]bool{}, false
	for _, object := range old {
		content, err := contentOf(object)
		isUnknown = isUnknown || err != nil || content["spec"] == nil
		eachAllocated(content, func(_ map[string]any, name, value string) { used[name+value] = true })
	}
	content := runtime.DeepCopyJSON(d.content())
	eachAllocated(content, func(fields map[string]any, name, value string) {
		if value != corev1.ClusterIPNone && (isUnknown || used[name+value]) {
			delete(fields, name)
		}
	})
	spec, _ := content["spec"].(map[string]any)
	if _, isAsked := spec["clusterIP"]; !isAsked {
		delete(spec, "clusterIPs")
	}
	d.content, d.Source = func() map[string]any { return content }, nil
	return d
}

// eachAllocated calls visit for each allocated field of a Service, with the object that has it.
func eachAllocated(service map[string]any, visit func(fields map[string]any, name, value string)) {
	spec, _ := service["spec"].(map[string]any)
	ports, _ := spec["ports"].([]any)
	for _, fields := range append(slices.Clone(ports), spec) {
		fields, _ := fields.(map[string]any)
		for _, name := range allocated {
			if value, ok := fields[name]; ok {
				visit(fields, name, fmt.Sprint(value))
			}
		}
	}
}
