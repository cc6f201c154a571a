package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
)

// letGo generates the project without an API that opgen.lock lists and no spec file describes, and
// names its files and CRD that are left.
func (o *writeOptions) letGo(s streams, p loadedProject, target project.KnownAPI) error {
	if err := o.generateWithout(s, p, target.Name); err != nil {
		return err
	}
	if o.dryRun || !o.reportsChanges() {
		return nil
	}
	left, err := scaffold.AuthorFiles(os.DirFS(p.Dir), target.Locked, target.Name, p.Spec, scaffold.Summaries(p.APIs))
	for _, file := range left {
		printNotRemoved(s, file)
	}
	crd := target.Locked.CRDName(target.Name)
	inUse := func(api scaffold.API) bool { return api.Names.Plural+"."+api.Group == crd }
	if !slices.ContainsFunc(p.APIs, inUse) {
		fmt.Fprintf(s.err, "note: clusters keep the CustomResourceDefinition %s with its objects; when nobody needs them: kubectl delete crd %[1]s\n", crd)
	}
	return err
}

// generateWithout generates the project without a name of the lock. Where something else keeps it
// from that, such as another API that was renamed, it takes the name out of the lock alone.
func (o *writeOptions) generateWithout(s streams, p loadedProject, name string) error {
	in := p.Input()
	in.LetGo = []string{name}
	_, _, err := o.plan(s, p.Dir, p.Tree, in)
	var problems spec.Problems
	if !errors.As(err, &problems) {
		return err
	}
	changes, lockErr := scaffold.WithoutLocked(os.DirFS(p.Dir), in.Tool, name, scaffold.Summaries(p.APIs))
	if lockErr != nil {
		return lockErr
	}
	if !o.dryRun {
		if err := applyChanges(changes, p.Dir); err != nil {
			return err
		}
	}
	if err := o.report(s, changes.Pending()); err != nil {
		return err
	}
	if !o.output.json() {
		fmt.Fprintf(s.err, "note: nothing was generated, since there is more to decide:\n%v\n", problems)
	}
	return nil
}

// printNotRemoved names a file of the author's that no command removes.
func printNotRemoved(s streams, file string) {
	fmt.Fprintf(s.err, "left    %s (yours: delete it when you no longer need it)\n", file)
}
