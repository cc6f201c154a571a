package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// The ways to write an object.
const (
	put              = "put"
	byMergePatch     = "merge patch"
	byStrategicPatch = "strategic patch"
	forcedApply      = "apply"
	sameManagerPut   = "put as the operator"
	sameApply        = "apply as the operator"
)

var ways = []string{put, byMergePatch, byStrategicPatch, forcedApply, sameManagerPut, sameApply}

// writer writes to children as another client.
type writer struct {
	client  client.Client
	manager string // the operator's
	// asOperator has the permissions of the operator; nil: they are not limited.
	asOperator client.Client
}

// fits reports whether a mutation of a kind can be written in this way.
func (m alteration) fits(way string, child *unstructured.Unstructured) bool {
	switch {
	case m.family == wipes || m.family == shares:
		return way == put
	case way == byStrategicPatch:
		return scheme.Scheme.Recognizes(child.GroupVersionKind())
	case way == forcedApply, way == sameApply:
		return (m.family == changes || m.family == extends || m.family == alters) && m.at.Last().Key == nil
	}
	return true
}

// errUseless says that the API server accepts none of the edits of a mutation.
type errUseless struct{ last error }

func (e errUseless) Error() string {
	if e.last == nil {
		return "it changes nothing"
	}
	return e.last.Error()
}

// write mutates a child, and returns the result. It tries the edits of the mutation until one is
// accepted and has an effect.
func (w writer) write(ctx context.Context, way string, m alteration, child *unstructured.Unstructured, kind *schemas.Kind) (*unstructured.Unstructured, error) {
	if m.family == shares {
		return w.addSharedOwner(ctx, child)
	}
	var refused error
	for _, edit := range m.edits {
		written, err := w.tryWrite(ctx, way, m, edit, child, kind)
		if err != nil && !isRefusal(err) {
			return nil, err
		}
		if err != nil {
			refused = err
			continue
		}
		if written != nil {
			return written, nil
		}
	}
	return nil, errUseless{refused}
}

func isRefusal(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err) || apierrors.IsInternalError(err)
}

// tryWrite makes one edit. It returns nil if the edit has no effect.
func (w writer) tryWrite(ctx context.Context, way string, m alteration, edit func(map[string]any) bool, child *unstructured.Unstructured, kind *schemas.Kind) (*unstructured.Unstructured, error) {
	for {
		edited := child.DeepCopy()
		if !edit(edited.Object) {
			return nil, nil
		}
		if reflect.DeepEqual(edited.Object, child.Object) {
			return nil, nil
		}
		answer, err := w.sendWrite(ctx, way, child, edited, kind)
		if apierrors.IsConflict(err) {
			child = child.DeepCopy()
			if err := w.client.Get(ctx, client.ObjectKeyFromObject(child), child); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil || m.family != wipes && sameContent(answer, child) {
			return nil, err
		}
		return answer, nil
	}
}

func (w writer) sendWrite(ctx context.Context, way string, child, edited *unstructured.Unstructured, kind *schemas.Kind) (*unstructured.Unstructured, error) {
	answer := edited.DeepCopy()
	foreign := client.FieldOwner(foreignPrefix)
	switch way {
	case byMergePatch:
		return answer, w.client.Patch(ctx, answer, client.MergeFrom(child), foreign)
	case byStrategicPatch:
		body, err := strategicOf(child, edited)
		if err != nil {
			return nil, err
		}
		return answer, w.client.Patch(ctx, answer, client.RawPatch(types.StrategicMergePatchType, body), foreign)
	case forcedApply, sameApply:
		if way == sameApply {
			foreign = client.FieldOwner(w.manager)
		}
		body, err := appliedContent(child, edited, kind)
		if err != nil {
			return nil, err
		}
		return answer, w.client.Patch(ctx, answer, client.RawPatch(types.ApplyPatchType, body), foreign, client.ForceOwnership)
	case sameManagerPut:
		foreign = client.FieldOwner(w.manager)
	}
	return answer, w.client.Update(ctx, answer, foreign)
}

func strategicOf(child, edited *unstructured.Unstructured) ([]byte, error) {
	typed, err := scheme.Scheme.New(child.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	from, err := json.Marshal(child.Object)
	if err != nil {
		return nil, err
	}
	to, err := json.Marshal(edited.Object)
	if err != nil {
		return nil, err
	}
	return strategicpatch.CreateTwoWayMergePatch(from, to, typed)
}

// appliedContent returns the smallest content of an apply that makes an edit.
func appliedContent(child, edited *unstructured.Unstructured, kind *schemas.Kind) ([]byte, error) {
	compared, err := kind.Compare(contentOf(child), contentOf(edited))
	if err != nil {
		return nil, err
	}
	whole, err := kind.Typed(contentOf(edited))
	if err != nil {
		return nil, err
	}
	changed := whole.ExtractItems(compared.Added.Union(compared.Modified), typed.WithAppendKeyFields())
	content, _ := changed.AsValue().Unstructured().(map[string]any)
	body := unstructured.Unstructured{Object: content}
	body.SetGroupVersionKind(child.GroupVersionKind())
	body.SetName(child.GetName())
	body.SetNamespace(child.GetNamespace())
	return json.Marshal(body.Object)
}

// writers is how many field managers share a child, which is more than managedFields holds.
const writers = 12

// addSharedOwner writes to a child as that many field managers.
func (w writer) addSharedOwner(ctx context.Context, child *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	answer := child.DeepCopy()
	for n := range writers {
		body := fmt.Appendf(nil, `{"metadata":{"annotations":{"%s/writer-%d":"%d"}}}`, foreignPrefix, n, n)
		manager := fmt.Sprintf("writer-%d.%s", n, foreignPrefix) // sorts after the operator's, which is so among the oldest
		if err := w.client.Patch(ctx, answer, client.RawPatch(types.MergePatchType, body), client.FieldOwner(manager)); err != nil {
			return nil, err
		}
	}
	return answer, nil
}
