package deployment

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// createdForAnnotation says for which project opgen has created a namespace: PROJECT/UID. The UID is
// that of the namespace, which no copy of it has.
const createdForAnnotation = "opgen.dev/created-for"

// ownManager is the field manager of what opgen writes that no manifest has.
const ownManager = "opgen"

func createdFor(namespace *Object, project string) string {
	return project + "/" + string(namespace.GetUID())
}

// isOwnNamespace reports whether opgen has created a namespace, as it is in the cluster, for a
// project.
func isOwnNamespace(live *Object, project string) bool {
	return live.GetUID() != "" && live.GetAnnotations()[createdForAnnotation] == createdFor(live, project)
}

// createNamespace creates an object if it is a namespace that does not exist, and records in it that
// opgen has created it. It reports whether it has. Only a create says that: an apply also succeeds if
// somebody else has created the namespace a moment ago.
//
// The fields are those of kubectl apply without --server-side, so that they become those of the
// server-side apply that follows.
func (a *applying) createNamespace(ctx context.Context, client dynamic.ResourceInterface, o *Object) (bool, error) {
	if !isNamespace(o) || a.DryRun {
		return false, nil
	}
	_, err := client.Get(ctx, o.GetName(), metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return false, err
	}
	created, err := client.Create(ctx, o, metav1.CreateOptions{FieldManager: clientSideManager, FieldValidation: metav1.FieldValidationStrict})
	if apierrors.IsAlreadyExists(err) {
		return false, nil
	}
	if err != nil || a.Project == "" {
		return err == nil, err
	}
	mark, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid":         created.GetUID(), // a precondition
		"annotations": map[string]string{createdForAnnotation: createdFor(created, a.Project)},
	}})
	if err != nil {
		return true, err
	}
	_, err = client.Patch(ctx, o.GetName(), types.MergePatchType, mark, metav1.PatchOptions{FieldManager: ownManager})
	return true, err
}

// warnOfPodSecurity warns of labels that change which Pods of others a namespace takes. live is the
// namespace as it is.
func (a *applying) warnOfPodSecurity(live, o *Object) {
	if isOwnNamespace(live, a.Project) {
		return
	}
	var changed []string
	for _, label := range slices.Sorted(maps.Keys(o.GetLabels())) {
		if value := o.GetLabels()[label]; strings.HasPrefix(label, "pod-security.kubernetes.io/") && live.GetLabels()[label] != value {
			changed = append(changed, label+"="+value)
		}
	}
	if len(changed) > 0 {
		a.warn(fmt.Sprintf("%s existed before: it gets %s, which holds for the Pods of others in it, too", titleOf(o), strings.Join(changed, ", ")))
	}
}
