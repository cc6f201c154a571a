package scaffold

import (
	"io/fs"
	"path"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/tree"
)

// kubebuilderSamples is where a kubebuilder project has its samples, by the names that opgen gives
// them, too.
const kubebuilderSamples = "config/samples"

// readSamples reads the samples that a kubebuilder project has of the kinds whose Go types are the
// author's, by their paths in opgen's folder.
func (s *Source) readSamples(files fs.FS) {
	s.samples = map[string][]byte{}
	if _, err := fs.Stat(files, kubebuilderSamples); err != nil {
		return
	}
	for _, api := range s.APIs {
		if !api.StorageVersion().GoTypes {
			continue
		}
		own := samplePath(s.Project, api.Summary)
		if content, err := tree.ReadRegularFile(files, path.Join(kubebuilderSamples, path.Base(own))); err == nil {
			s.samples[own] = content
		}
	}
}

// renderSample renders an object of the kind to try: the one of a kubebuilder project, if it is
// valid, because its author knows what makes sense.
func (k kind) renderSample() ([]byte, error) {
	if k.sample != nil && len(crdgen.ValidateObject(k.crd(), k.sample)) == 0 {
		return k.sample, nil
	}
	return crdgen.Sample(k.api.Read(), k.api.StorageVersion().Name)
}
