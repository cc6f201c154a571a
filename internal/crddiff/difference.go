package crddiff

import (
	"slices"

	"github.com/opgen-dev/opgen/internal/spec"
)

// Cause is what makes CRDs differ.
type Cause string

// The causes of differences.
const (
	// OwnSource is the source of the project itself: its spec files and Go types.
	OwnSource Cause = "source"
	// Metadata is the key embeddedMetadata.
	Metadata Cause = "embeddedMetadata"
	// Description is the text of a description, or the key maxDescLen.
	Description Cause = "description"
	// ForeignTypes are Go types of another module, such as k8s.io/api, in another version.
	ForeignTypes Cause = "types"
)

// Effect is what happens to objects that exist when the CRD of the project takes the place of the
// other one.
type Effect string

// The effects, from none to the most severe.
const (
	NoEffect Effect = ""
	// Refused: the new schema may refuse an object as it is.
	Refused Effect = "may be refused"
	// Lost: the API server drops the field from objects.
	Lost Effect = "lose this field"
	// Left: objects stay with the other CRD, because that of the project has another name.
	Left Effect = "stay with the other CRD"
	// Rejected: the API server rejects the CRD of the project where the other one is, because of the
	// objects.
	Rejected Effect = "make the API server reject the CRD"
)

// Difference is one difference between two CRDs.
type Difference struct {
	Cause Cause
	// Path leads to what differs, such as v1.spec.replicas.maximum or names.shortNames. It begins
	// with the version of what belongs to one.
	Path string
	// Ours and Theirs are the values, as JSON where they are no text. An empty one is absent.
	Ours, Theirs string
	Field        bool     // one side has the field at the path, with all below it, and the other has not
	Foreign      string   // of ForeignTypes, the import path of the Go type
	Pos          spec.Pos // in the source of the project; zero if it is not known
	Effect       Effect
}

// OnlyOurs reports whether only the project has what is at the path.
func (d Difference) OnlyOurs() bool { return d.Theirs == "" }

// OnlyTheirs reports whether only the other CRD has what is at the path.
func (d Difference) OnlyTheirs() bool { return d.Ours == "" }

// severity orders effects.
func (e Effect) severity() int {
	return slices.Index([]Effect{NoEffect, Refused, Lost, Left, Rejected}, e)
}
