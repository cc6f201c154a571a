package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Build returns the executables of the control plane, and builds them when the cache does not have them. The first
// build takes minutes. Builds of the same thing at the same time wait for each other and use the first's result;
// a build that is interrupted leaves nothing that counts as one.
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
	assets := cache.assets(key)
	if assets.complete() {
		return assets, nil
	}
	if err := os.MkdirAll(cache.builds(), 0o755); err != nil {
		return Assets{}, fmt.Errorf("%w: set OPGEN_CACHE to a directory that can be written", err)
	}
	lock, err := acquireLock(ctx, cache.lockFile(key), func() { progress.report(Progress{Phase: PhaseWaiting}) })
	if err != nil {
		return Assets{}, fmt.Errorf("lock the build: %w", err)
	}
	defer lock.releaseAndRemove()
	if assets.complete() {
		return assets, nil
	}
	return assets, buildInto(ctx, tool, files, filepath.Join(cache.builds(), key), progress)
}

// buildInto builds beside dir and renames at the end. The caller holds the lock, so what lies beside dir was left by
// a build that died.
func buildInto(ctx context.Context, tool goTool, files []sourceFile, dir string, progress ProgressFunc) error {
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
	if err := makeReadOnly(filepath.Join(result, "bin")); err != nil {
		return explainBuild(err, "")
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(result, dir)
}

// makeReadOnly adds the programs' names to the binary and brings it to disk, so that not even a power cut right after the
// rename leaves an empty file that looks like a build.
func makeReadOnly(bin string) error {
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
