package kubebuilder

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
	"github.com/opgen-dev/opgen/internal/spec"
)

// Settings are those of controller-gen that opgen has as well, as a Makefile has them.
type Settings struct {
	MaxDescLen             string // digits; empty: descriptions are as long as they are
	IgnoreUnexportedFields bool
	// EmbeddedMetadata is what controller-gen says of the metadata of embedded objects: nothing,
	// unless generateEmbeddedObjectMeta is set.
	EmbeddedMetadata spec.EmbeddedMetadata
	HeaderFile       string // of generated Go files; empty: none
}

// crdOptions and headerOption match options of controller-gen in a command line or in a variable.
var (
	crdOptions   = lazyregexp.New(`(?:^|[\s"'=])crd:([A-Za-z0-9_,="']+)`)
	headerOption = lazyregexp.New(`(?:^|[\s"'=])object:[^\s]*?headerFile=["']?([^\s"',]+)`)
)

// ReadSettings reads the settings of controller-gen in a Makefile. Of two that differ, the first
// counts.
func ReadSettings(makefile []byte) Settings {
	settings := Settings{EmbeddedMetadata: spec.NoMetadata}
	text := bytes.ReplaceAll(makefile, []byte("\\\n"), []byte(" "))
	seen := map[string]bool{}
	for _, match := range crdOptions().FindAllSubmatch(text, -1) {
		for option := range strings.SplitSeq(strings.Trim(string(match[1]), `"'`), ",") {
			name, value, _ := strings.Cut(option, "=")
			if !seen[name] {
				seen[name] = true
				settings.set(name, strings.Trim(value, `"'`))
			}
		}
	}
	if match := headerOption().FindSubmatch(text); match != nil {
		settings.HeaderFile = strings.TrimPrefix(string(match[1]), "./")
	}
	return settings
}

// set sets an option of controller-gen's crd generator, if opgen has it.
func (s *Settings) set(name, value string) {
	isTrue := value == "" || value == "true"
	switch name {
	case "maxDescLen":
		if _, err := strconv.ParseUint(value, 10, 31); err == nil {
			s.MaxDescLen = value
		}
	case "ignoreUnexportedFields":
		s.IgnoreUnexportedFields = isTrue
	case "generateEmbeddedObjectMeta":
		if isTrue {
			s.EmbeddedMetadata = spec.AllMetadata
		}
	}
}
