package cluster

import (
	"os"
	"path/filepath"

	"github.com/opgen-dev/opgen/internal/cluster/imagearchive"
)

// pauseImage is the name of the image that holds the namespaces of each Pod.
const pauseImage = "opgen.dev/pause:1"

// packPauseImage makes an archive of the program pause in a directory, in the place of the program.
func packPauseImage(dir string) error {
	program := filepath.Join(dir, "pause")
	data, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	archive, err := os.Create(filepath.Join(dir, pauseArchive))
	if err != nil {
		return err
	}
	defer archive.Close()
	image := imagearchive.Program{Name: pauseImage, Path: "/pause", Data: data, User: "65535:65535"}
	if err := image.Write(archive); err != nil {
		return err
	}
	return os.Remove(program)
}
