package templates

// ProjectView is what opgen.yaml says in a new project.
type ProjectView struct {
	Name, Module, Domain, Watch string
	Multigroup, Clients         bool
	Templates                   []string
	MovedSettings
}

// MovedSettings are keys of opgen.yaml in a project that was one of kubebuilder.
type MovedSettings struct {
	MaxDescLen             string // digits, or empty
	HeaderFile             string
	IgnoreUnexportedFields bool
	TargetPrefix           string
}

// ProjectFile renders opgen.yaml.
func ProjectFile(view ProjectView) ([]byte, error) {
	return renderTemplate("spec/project.yaml", view)
}

// DraftView is what the draft of an API file says.
type DraftView struct {
	Group, Version, Kind, Scope string
	Children                    []DraftKind
}

// ControllerDraftView is what the draft of a controller's file says.
type ControllerDraftView struct {
	Name              string
	Parents, Children []DraftKind
}

// DraftKind is a kind of parents or children in a draft.
type DraftKind struct{ APIVersion, Kind string }

// HoldsData reports whether deleting a child of the kind deletes users' data. The spec language
// then requires the policies to be written out.
func (c DraftKind) HoldsData() bool {
	switch c.Kind {
	case "PersistentVolumeClaim", "Namespace", "CustomResourceDefinition":
		return true
	}
	return false
}

// Draft renders the draft of an API file. Its spec and status have one field each, for the author
// to replace.
func Draft(view DraftView) ([]byte, error) {
	return renderTemplate("spec/api.yaml", view)
}

// ControllerDraft renders the draft of a controller's file.
func ControllerDraft(view ControllerDraftView) ([]byte, error) {
	return renderTemplate("spec/controller.yaml", view)
}

// MovedAPIView is what the spec file says of a kind whose types come from kubebuilder. Empty fields
// are left out.
type MovedAPIView struct {
	Group, Kind, Plural, Singular, Scope string
	ShortNames, Categories               []string
	Annotations, Labels                  []Pair // of the CRD
	EmbeddedMetadata                     string
	Versions                             []MovedVersion
}

// MovedVersion is a version in a MovedAPIView.
type MovedVersion struct {
	Name                          string
	Storage, Unserved, Deprecated bool
	Warning                       string // of a deprecated version
}

// Pair is an annotation or a label.
type Pair struct{ Key, Value string }

// MovedAPI renders the spec file of a kind whose types come from kubebuilder.
func MovedAPI(view MovedAPIView) ([]byte, error) {
	return renderTemplate("spec/moved_api.yaml", view)
}
