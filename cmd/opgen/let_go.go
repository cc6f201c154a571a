package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
)

// letGo generates the project without an API that opgen.lock lists and no spec file describes, and names what is left
// of it.
func (o *writeOptions) letGo(s streams, p *project, target deleted) error {
	if err := o.generateWithout(s, p, target.name); err != nil {
		return err
	}
	if o.output.json() || o.dryRun {
		return nil
	}
	left, err := target.locked.Leftovers(os.DirFS(p.dir), target.name, p.spec, p.apis)
	for _, file := range left {
		printLeft(s, file)
	}
	crd := target.locked.CRDName(target.name)
	inUse := func(api *spec.API) bool { return api.Names.Plural+"."+api.Group == crd }
	if !slices.ContainsFunc(p.apis, inUse) {
		fmt.Fprintf(s.err, "note: clusters keep the CustomResourceDefinition %s with its objects; when nobody needs them: kubectl delete crd %[1]s\n", crd)
	}
	return err
}

// generateWithout generates the project without a name of the lock. Where something else keeps it from that, such as
// another API that was renamed, it takes the name out of the lock alone.
func (o *writeOptions) generateWithout(s streams, p *project, name string) error {
	in := p.input()
	in.LetGo = []string{name}
	err := o.plan(s, p.dir, in)
	var problems spec.Problems
	if !errors.As(err, &problems) {
		return err
	}
	changes, lockErr := scaffold.WithoutLocked(os.DirFS(p.dir), in.Tool, name)
	if lockErr != nil {
		return lockErr
	}
	if !o.dryRun {
		if err := applyChanges(changes, p.dir); err != nil {
			return err
		}
	}
	if err := o.report(s, changes); err != nil {
		return err
	}
	if !o.output.json() {
		fmt.Fprintf(s.err, "note: nothing was generated, since there is more to decide:\n%v\n", problems)
	}
	return nil
}

// printLeft names a file of the author's that no command removes.
func printLeft(s streams, file string) {
	fmt.Fprintf(s.err, "left    %s (yours: delete it when you no longer need it)\n", file)
}
