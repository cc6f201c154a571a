package project

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/opgen-dev/opgen/internal/cache"
	"github.com/opgen-dev/opgen/internal/gomarkers"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
)

// Record is what the last run of opgen in a project found out. It lies in the user's cache folder
// and can be lost at any time.
type Record struct {
	dir  string
	file cache.File // the zero File: nothing is known, and nothing is kept
	tree *cache.Tree
	last lastRun
	// began is when the run began, and goSettings what they were then: reading Go source changes
	// the environment.
	began      time.Time
	goSettings string
}

// lastRun is the content of a record.
type lastRun struct {
	Known json.RawMessage `json:"known"` // a Known, which is not needed where nothing has changed
	// The others are of a run that had nothing to change: what it read, what else it depended on,
	// and what it warned of.
	Answers   []cache.Answer `json:"answers,omitempty"`
	GoFolders []goFolder     `json:"goFolders,omitempty"`
	Markers   []string       `json:"markers,omitempty"`
	Templates ownTemplates   `json:"templates,omitzero"`
	Settings  string         `json:"settings,omitempty"`
	Warnings  spec.Problems  `json:"warnings,omitempty"`
}

// known returns what is known of the parts of the project, nothing if that cannot be read.
func (l lastRun) known() Known {
	var known Known
	if json.Unmarshal(l.Known, &known) != nil {
		return Known{}
	}
	return known
}

// OpenRecord reads the record of the project in a folder.
func OpenRecord(dir string) *Record {
	r := NoRecord(dir)
	r.file = cache.Open(dir)
	if !r.file.Load(&r.last) {
		r.last = lastRun{}
	}
	return r
}

// NoRecord returns a record of which nothing is known, and that is not kept.
func NoRecord(dir string) *Record {
	return &Record{dir: dir, tree: cache.Watch(os.DirFS(dir)), began: time.Now(), goSettings: goSettings(dir)}
}

// Load reads the project, as the function Load does, and notes what is read.
func (r *Record) Load(version string) (*Project, error) {
	return Load(r.dir, r.tree, version, r.last.known())
}

// IsCurrent reports whether the last run had nothing to change and everything is as it was then. It
// also returns what that run warned of.
func (r *Record) IsCurrent(version string) (spec.Problems, bool) {
	last := r.last
	tool, err := ToolFor(ModuleOf(r.dir, last.Templates.Module).Dir, version)
	if err != nil {
		return nil, false //nolint:nilerr // load returns the error
	}
	if len(last.Answers) == 0 || last.Settings != r.describeSettings(tool) || !cache.Same(os.DirFS(r.dir), last.Answers) {
		return nil, false
	}
	for _, folder := range last.GoFolders {
		if !folder.isSame() {
			return nil, false
		}
	}
	return last.Warnings, r.hasMarkers(last.Markers) && last.Templates.isSame(r.dir, tool)
}

// hasMarkers reports whether the Go comments of the project have these markers, which had no errors.
func (r *Record) hasMarkers(expected []string) bool {
	found, err := scaffold.FindMarkers(r.dir)
	return err == nil && slices.Equal(gomarkers.Texts(found), expected)
}

// describeSettings returns what generated files depend on beside the trees of files.
func (r *Record) describeSettings(tool scaffold.Tool) string {
	return fmt.Sprintf("%+v %s", tool, r.goSettings)
}

// Save keeps what a run found out about the project, and what it warned of. A record that cannot be
// written is no error: the next run finds everything out again.
func (r *Record) Save(p *Project, learned scaffold.Learned, changes *tree.Changes, warned spec.Problems) {
	known, err := json.Marshal(p.collectKnown(learned.Known))
	if err != nil {
		return
	}
	next := lastRun{Known: known}
	if changes.IsEmpty() {
		folders, unchanged := r.watchGo(learned.Folders)
		if answers, all := r.tree.Seen(); all && unchanged {
			next.Answers, next.GoFolders, next.Markers = answers, folders, learned.Markers
			next.Settings, next.Warnings = r.describeSettings(p.Tool), warned
			next.Templates = ownTemplates{p.Spec.Module, p.Spec.Templates, learned.Templates}
		}
	}
	_ = r.file.Save(next)
}
