package deployment

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/util/csaupgrade"
)

// kubectlManager and clientSideManager are the field managers of kubectl apply. opgen applies as the
// first, so that either can change what the other has applied.
const (
	kubectlManager    = "kubectl"
	clientSideManager = "kubectl-client-side-apply"
)

// ApplyOptions say how objects are applied.
type ApplyOptions struct {
	DryRun         bool // ask the API server, and write nothing
	ForceConflicts bool // take fields from other field managers

	// Project is for which namespaces are created. Of no project's namespaces, nothing is recorded.
	Project string
}

// Apply applies objects by server-side apply, and returns what became of each. Namespaces and CRDs
// come first, and it waits until the kinds of the CRDs are served. If one of these is refused, it
// ends; of the others it reports all that are. In a namespace that it creates, it records for which
// project; PlanRemoval takes no other one away.
func (c *Cluster) Apply(ctx context.Context, objects []*Object, o ApplyOptions) ([]Change, error) {
	var first, rest []*Object
	for _, object := range objects {
		if isNamespace(object) || isCRD(object) {
			first = append(first, object)
		} else {
			rest = append(rest, object)
		}
	}
	run := applying{Cluster: c, ApplyOptions: o}
	if err := run.applyAll(ctx, first); err != nil {
		return run.changes, err
	}
	if !o.DryRun {
		if err := c.awaitEstablished(ctx, first); err != nil {
			return run.changes, err
		}
	}
	return run.changes, run.applyAll(ctx, rest)
}

// applying is one run of Apply.
type applying struct {
	*Cluster
	ApplyOptions
	changes []Change
	absent  sets.Set[string] // with a dry run, the namespaces and kinds that would be new
}

func (a *applying) applyAll(ctx context.Context, objects []*Object) error {
	var errs []error
	for _, object := range objects {
		action, err := a.apply(ctx, object)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		a.changes = append(a.changes, changeOf(object, action, ""))
	}
	return errors.Join(errs...)
}

func (a *applying) apply(ctx context.Context, o *Object) (Action, error) {
	if a.absent.HasAny(o.GetNamespace(), o.GroupVersionKind().GroupKind().String()) {
		return Created, nil // the API server would refuse a dry run
	}
	client, err := a.access(o)
	if err != nil {
		return "", err
	}
	isNew, err := a.createNamespace(ctx, client, o)
	if err != nil {
		return "", fmt.Errorf("%s: %w", titleOf(o), err)
	}
	before, err := a.readForApply(ctx, client, o)
	if err == nil && before != nil && !isNew {
		err = a.checkExisting(before, o)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", titleOf(o), err)
	}
	data, err := o.MarshalJSON()
	if err != nil {
		return "", fmt.Errorf("%s: %w", titleOf(o), err)
	}
	options := metav1.PatchOptions{FieldManager: kubectlManager, Force: &a.ForceConflicts, FieldValidation: metav1.FieldValidationStrict}
	if a.DryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	after, err := client.Patch(ctx, o.GetName(), types.ApplyPatchType, data, options)
	if err != nil {
		return "", a.explain(o, err)
	}
	if before == nil || isNew {
		a.noteAbsent(o)
		return Created, nil
	}
	if before.GetResourceVersion() == after.GetResourceVersion() && sameContent(before, after) {
		return Unchanged, nil
	}
	return Configured, nil
}

// readForApply returns the object as it is, or nil if it does not exist. What kubectl apply owns in
// it without --server-side becomes what server-side apply owns, as kubectl does it: otherwise each
// changed field would be a conflict, and a dropped one would stay.
func (a *applying) readForApply(ctx context.Context, client dynamic.ResourceInterface, o *Object) (*Object, error) {
	before, err := client.Get(ctx, o.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil || a.DryRun {
		return before, err
	}
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(before, sets.New(clientSideManager), kubectlManager)
	if err != nil || patch == nil {
		return before, err
	}
	return client.Patch(ctx, o.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{})
}

// checkExisting returns an error if somebody else has made an object, which Remove would take for
// Apply's afterwards. Namespaces and CRDs, which Remove keeps, may be others'.
func (a *applying) checkExisting(live, o *Object) error {
	switch {
	case isNamespace(o):
		a.warnOfPodSecurity(live, o)
	case !isCRD(o) && !isApplied(live) && !a.ForceConflicts:
		return fmt.Errorf("it exists, and %s\n    take it over with --force-conflicts, or give it another name, with namePrefix: in the kustomization", notApplied)
	}
	return nil
}

// noteAbsent notes that a namespace or a kind does not exist, when it is not made.
func (a *applying) noteAbsent(o *Object) {
	if !a.DryRun {
		return
	}
	if a.absent == nil {
		a.absent = sets.New[string]()
	}
	if isNamespace(o) {
		a.absent.Insert(o.GetName())
	}
	if isCRD(o) {
		a.absent.Insert(groupKindOfCRD(o).String())
	}
}

// explain says what to do about a conflict, and about a CRD without a version that objects are stored in.
func (a *applying) explain(o *Object, err error) error {
	switch {
	case apierrors.IsConflict(err):
		return fmt.Errorf("%s: %w\n    take these fields over with --force-conflicts, or leave them out of the manifest", titleOf(o), err)
	case isCRD(o) && apierrors.IsInvalid(err) && strings.Contains(err.Error(), "status.storedVersions"):
		return fmt.Errorf("%s: %w\n    %s", titleOf(o), err, storedVersionsHint(o))
	}
	return fmt.Errorf("%s: %w", titleOf(o), err)
}

// sameContent reports whether two objects differ in no more than who manages their fields. A dry run
// gives no new resource version.
func sameContent(a, b *Object) bool {
	a, b = a.DeepCopy(), b.DeepCopy()
	a.SetManagedFields(nil)
	b.SetManagedFields(nil)
	return equality.Semantic.DeepEqual(a.Object, b.Object)
}
