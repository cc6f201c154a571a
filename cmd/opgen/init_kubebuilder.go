package main

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/project"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/tree"
)

// takeOver makes a project of kubebuilder one of opgen. In a project that it has taken over before, it
// does what generate does, and reports again what is left to the author.
func (o *initOptions) takeOver(ctx context.Context, s streams, dir string) error {
	if !o.write.dryRun {
		held, err := lockFolder(s, dir)
		if err != nil {
			return err
		}
		defer held.Release()
	}
	k, err := project.ReadKubebuilder(dir)
	if err != nil {
		return err
	}
	in, err := o.inputOf(ctx, s, dir, &k)
	if err != nil {
		return err
	}
	raised, err := raiseModule(ctx, s, dir, in)
	if err != nil {
		return err
	}
	defer raised.Remove()
	in.ModFile, in.InModule = raised.ModFile, raised.Module.Path // its files are those of raised
	planned, changes, err := diffTree(s, dir, os.DirFS(dir), in)
	if err != nil {
		return err
	}
	o.write.warnings = append(planned.Warnings, o.write.warnings...)
	if o.write.force {
		changes = changes.Force()
	}
	if len(changes.Conflicts()) > 0 {
		return reportConflicts(s, o.write.output, changes)
	}
	if !o.write.dryRun {
		if err := errors.Join(applyChanges(raised.Changes, raised.Module.Dir), applyChanges(changes, dir)); err != nil {
			return err
		}
	}
	moved := moveReport{append(k.Left(), raised.Notes...), k.Remaining(changes)}
	o.write.more = map[string]any{"kubebuilder": moved}
	if err := o.write.report(s, slices.Concat(seenFrom(dir, raised), changes.Pending())); err != nil {
		return err
	}
	moved.print(s.err, o.write.reportsChanges(), o.write.output.json())
	return nil
}

// inputOf returns what the project is generated from: its opgen.yaml if it has one, and otherwise what
// kubebuilder's files say.
func (o *initOptions) inputOf(ctx context.Context, s streams, dir string, k *project.Kubebuilder) (scaffold.Input, error) {
	version := readVersion().Version
	if _, err := os.Lstat(filepath.Join(dir, project.FileName)); !errors.Is(err, fs.ErrNotExist) {
		p, err := project.NoRecord(dir).Load(version)
		if err != nil {
			return scaffold.Input{}, err
		}
		o.write.warnings = p.Warnings()
		return p.Input(), nil
	}
	if err := o.checkContradictions(k); err != nil {
		return scaffold.Input{}, err
	}
	view := k.View
	if view.Name == "" && !o.isNamed { // as kubebuilder names it
		o.name = strings.ToLower(filepath.Base(dir))
	}
	view.Name, view.Watch, view.Clients = cmp.Or(o.name, view.Name), o.watch, o.clients
	if _, _, err := o.parseView(view); err != nil { // before anything is downloaded
		return scaffold.Input{}, err
	}
	found, err := o.findTemplates(ctx, s)
	if err != nil {
		return scaffold.Input{}, err
	}
	view.Templates = found.Folders
	parsed, file, err := o.parseView(view)
	if err != nil {
		return scaffold.Input{}, err
	}
	added, err := k.Input(parsed, file, version)
	in := added.Input
	in.Requires, in.Extra, o.write.warnings = found.Requires, append(in.Extra, found.Files...), added.Warnings
	return in, err
}

// checkContradictions returns an error if flags say something else than the project.
func (o *initOptions) checkContradictions(k *project.Kubebuilder) error {
	var errs []error
	if o.module != "" && o.module != k.View.Module {
		errs = append(errs, project.InputErrorf("--module %s: the module of the project is %s\n    leave --module out", o.module, k.View.Module))
	}
	if o.domain != defaultDomain && o.domain != k.View.Domain {
		errs = append(errs, project.InputErrorf("--domain %s: the domain of PROJECT is %q\n    leave --domain out", o.domain, k.View.Domain))
	}
	if o.multigroup && !k.View.Multigroup {
		errs = append(errs, project.InputErrorf("--multigroup: PROJECT has no multigroup: true\n    leave --multigroup out"))
	}
	return errors.Join(errs...)
}

// raiseModule finds the versions of the project's module with which it can link opgen's runtime.
func raiseModule(ctx context.Context, s streams, dir string, in scaffold.Input) (project.Raised, error) {
	defer showProgress(s.err, "raising versions in go.mod as far as opgen needs them")()
	files := map[string][]byte{}
	for _, f := range in.Extra {
		if filepath.Ext(f.Path) == ".go" {
			files[f.Path] = f.Content
		}
	}
	return project.RaiseModule(ctx, dir, in.Tool, files)
}

// seenFrom returns the changes of the module files with paths from the folder of the project.
func seenFrom(dir string, raised project.Raised) []tree.Change {
	pending := raised.Changes.Pending()
	for i, c := range pending {
		if path, err := filepath.Rel(dir, filepath.Join(raised.Module.Dir, c.Path)); err == nil {
			pending[i].Path = filepath.ToSlash(path)
		}
	}
	return pending
}
