package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Build returns the executables of a release's control plane. It builds them if the cache does not
// have them, which takes minutes. Concurrent builds of the same version wait for the first and use its
// result. An interrupted build leaves nothing that a later one would take for finished.
func Build(ctx context.Context, cache Cache, release Release, progress ProgressFunc) (Assets, error) {
	return controlPlaneRecipe(release).build(ctx, cache, progress)
}

// BuildNode returns the executables of a control plane and a node, as Build does. They run on Linux alone, and have the
// newest release.
func BuildNode(ctx context.Context, cache Cache, progress ProgressFunc) (Assets, error) {
	if err := checkNodeSystem(); err != nil {
		return Assets{}, err
	}
	return nodeRecipe().build(ctx, cache, progress)
}

func (r recipe) build(ctx context.Context, cache Cache, progress ProgressFunc) (Assets, error) {
	files, err := r.sourceFiles()
	if err != nil {
		return Assets{}, err
	}
	from, err := r.findOrigin(ctx, cache, files)
	if err != nil {
		return Assets{}, err
	}
	assets := cache.assetsOf(r.release, from.key)
	if r.isBuilt(assets) {
		return assets, nil
	}
	if err := cache.checkOwner(); err != nil {
		return Assets{}, err
	}
	if err := os.MkdirAll(cache.buildsDir(), 0o755); err != nil {
		return Assets{}, fmt.Errorf("%w: set OPGEN_CACHE to a directory that can be written", err)
	}
	lock, err := acquireLock(ctx, cache.lockFile(from.key), func() { progress.report(Progress{Phase: PhaseWaiting}) })
	if err != nil {
		return Assets{}, fmt.Errorf("lock the build: %w", err)
	}
	defer lock.releaseAndRemove()
	if r.isBuilt(assets) {
		return assets, nil
	}
	dir := filepath.Join(cache.buildsDir(), from.key)
	if from.released != "" {
		return assets, r.makeDir(dir, func(_, bin string) error { return copyProgram(from.released, filepath.Join(bin, binaryName)) })
	}
	return assets, r.makeDir(dir, func(work, bin string) error { return from.tool.buildInto(ctx, r, files, work, bin, progress) })
}

// isBuilt reports whether every program exists. A directory under its final name is complete,
// unless someone has deleted programs from it since the build.
func (r recipe) isBuilt(assets Assets) bool {
	if r.name == "" {
		return len(assets.missingOf(r.links...)) == 0
	}
	return len(assets.MissingOfNode()) == 0
}

// makeDir fills dir.tmp and renames the result to dir at the end. The caller has the lock, so an existing dir.tmp is
// from a build that died. fill gets the temporary directory and the one in it for programs.
func (r recipe) makeDir(dir string, fill func(work, bin string) error) error {
	work := dir + ".tmp"
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	defer os.RemoveAll(work)
	bin := filepath.Join(work, "out", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return explainBuild(err, "")
	}
	if err := fill(work, bin); err != nil {
		return err
	}
	if err := r.finishPrograms(bin); err != nil {
		return explainBuild(err, "")
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(filepath.Dir(bin), dir)
}

// buildInto compiles the programs into bin.
func (tool goTool) buildInto(ctx context.Context, r recipe, files []sourceFile, work, bin string, progress ProgressFunc) error {
	source := filepath.Join(work, "src")
	tool.platform, tool.temp = r.platform, filepath.Join(work, "tmp")
	if err := errors.Join(writeSources(files, source), os.Mkdir(tool.temp, 0o755)); err != nil {
		return explainBuild(err, "")
	}
	for _, m := range r.modules {
		if err := tool.build(ctx, m, filepath.Join(source, m.dir), bin, progress); err != nil {
			return err
		}
	}
	return nil
}

// finishPrograms links the programs' names to the first module's binary, packs the image of pause, and flushes
// everything to disk. Without the flush, a power cut right after the rename could leave an empty file that looks like
// a finished build.
func (r recipe) finishPrograms(bin string) error {
	for _, name := range r.links {
		if err := os.Symlink(binaryName, filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	if r.name != "" {
		if err := packPauseImage(bin); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(bin)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.Type().IsRegular() {
			continue
		}
		if err := flushFile(filepath.Join(bin, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func flushFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	return file.Sync()
}
