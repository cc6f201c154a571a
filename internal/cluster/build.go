package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Build returns the executables of the control plane. It builds them if the cache does not have
// them, which takes minutes. Concurrent builds of the same version wait for the first and use its
// result. An interrupted build leaves nothing that a later one would take for finished.
func Build(ctx context.Context, cache Cache, progress ProgressFunc) (Assets, error) {
	files, err := sourceFiles()
	if err != nil {
		return Assets{}, err
	}
	tool, err := findGo(ctx)
	if err != nil {
		return Assets{}, err
	}
	key := buildKey(files, tool.version)
	assets := cache.assetsOf(key)
	if assets.isComplete() {
		return assets, nil
	}
	if err := os.MkdirAll(cache.buildsDir(), 0o755); err != nil {
		return Assets{}, fmt.Errorf("%w: set OPGEN_CACHE to a directory that can be written", err)
	}
	lock, err := acquireLock(ctx, cache.lockFile(key), func() { progress.report(Progress{Phase: PhaseWaiting}) })
	if err != nil {
		return Assets{}, fmt.Errorf("lock the build: %w", err)
	}
	defer lock.releaseAndRemove()
	if assets.isComplete() {
		return assets, nil
	}
	return assets, tool.buildInto(ctx, files, filepath.Join(cache.buildsDir(), key), progress)
}

// buildInto builds in dir.tmp and renames the result to dir at the end. The caller has the lock, so
// an existing dir.tmp is from a build that died.
func (tool goTool) buildInto(ctx context.Context, files []sourceFile, dir string, progress ProgressFunc) error {
	work := dir + ".tmp"
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	defer os.RemoveAll(work)
	source, result := filepath.Join(work, "src"), filepath.Join(work, "out")
	tool.temp = filepath.Join(work, "tmp")
	if err := errors.Join(writeSources(files, source), os.Mkdir(tool.temp, 0o755)); err != nil {
		return explainBuild(err, "")
	}
	if err := tool.build(ctx, source, filepath.Join(result, "bin", binaryName), progress); err != nil {
		return err
	}
	if err := finishBinary(filepath.Join(result, "bin")); err != nil {
		return explainBuild(err, "")
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(result, dir)
}

// finishBinary links the programs' names to the binary and flushes it to disk. Without the flush, a
// power cut right after the rename could leave an empty file that looks like a finished build.
func finishBinary(bin string) error {
	for _, name := range []string{etcd, apiServer, controllerManager, kubectl} {
		if err := os.Symlink(binaryName, filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	binary, err := os.OpenFile(filepath.Join(bin, binaryName), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer binary.Close()
	return binary.Sync()
}
