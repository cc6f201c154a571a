package packaging

import (
	"bytes"
	"fmt"
	"path"

	"github.com/opgen-dev/opgen/internal/tree"
)

// icon is a picture of a ClusterServiceVersion.
type icon struct {
	mediaType string
	content   []byte
}

// maxIcon is the size of the largest icon, in bytes: a bundle goes into an object of a cluster.
const maxIcon = 256 << 10

// readIcon reads the icon that the project in root names, and none if it names none. Its content goes into the bundle,
// which is published: it is a file of the project, and a picture.
func readIcon(root, file string) (icon, error) {
	if file == "" {
		return icon{}, nil
	}
	content, err := tree.ReadFile(root, file)
	if err != nil {
		return icon{}, fmt.Errorf("package.icon: %w", err)
	}
	read := icon{"image/svg+xml", content}
	isPicture := bytes.Contains(content, []byte("<svg"))
	if path.Ext(file) == ".png" {
		read.mediaType = "image/png"
		isPicture = bytes.HasPrefix(content, []byte("\x89PNG\r\n\x1a\n"))
	}
	switch {
	case !isPicture:
		return icon{}, fmt.Errorf("package.icon: %s is no picture of the type %s\n    name an SVG or PNG file", file, read.mediaType)
	case len(content) > maxIcon:
		return icon{}, fmt.Errorf("package.icon: %s has %d bytes, and an icon has %d at most\n    name a smaller picture", file, len(content), maxIcon)
	}
	return read, nil
}
