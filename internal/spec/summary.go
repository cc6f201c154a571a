package spec

import apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// Header is what the file of an API says beside its versions and types.
type Header struct {
	File           string
	Pos            Pos
	Group          string
	Names          Names
	Scope          Scope
	Operator       *Operator                          // nil: the kind has no controller
	Conversion     *apiextv1.CustomResourceConversion // as the CRD has it; nil: none
	AcceptWarnings []Warning                          // of these, nothing is said
	// At has the position of each key outside of the schemas by its path, such as group,
	// names.plural, versions[0].columns[1].path or operator.children[0].kind.
	At map[string]Pos
}

// GroupKind returns the kind with its group, such as EchoServer.demo.example.com.
func (h *Header) GroupKind() string { return h.Names.Kind + "." + h.Group }

// PositionOf returns the position of a key such as names.plural. If the file does not have the key,
// it returns the position of the closest key above it.
func (h *Header) PositionOf(path string) Pos { return nearestPosition(h.At, path, h.Pos) }

// Summary is what the files of a project need to know of its APIs: names, versions and operators,
// and no schemas. It is small enough to be kept from run to run, so that the file of an API that has
// not changed need not be parsed.
type Summary struct {
	Header
	Versions []VersionSummary // in the order of the file, at least one
}

// VersionSummary is a version of an API without its schema.
type VersionSummary struct {
	Name    string
	Storage bool
	Served  bool
	GoTypes bool // its Go types are the author's
	// HasStatus is true if the Go type has a status. For the author's types it is false until they
	// are read.
	HasStatus bool
	// LacksConditions is true if objects have the status subresource and no conditions in their
	// status. For the author's types it is false.
	LacksConditions bool
	HasScale        bool // objects have the scale subresource
}

// Summary returns what the rest of a project needs to know of the API.
func (api *API) Summary() *Summary {
	s := &Summary{Header: api.Header}
	for _, v := range api.Versions {
		hasStatus := v.Status != nil
		if v.GoTypes {
			hasStatus = v.Authored != nil && v.Authored.Status != ""
		}
		s.Versions = append(s.Versions, VersionSummary{v.Name, v.Storage, v.Served, v.GoTypes, hasStatus, v.lacksConditions(), v.Scale != nil})
	}
	return s
}

// lacksConditions reports whether objects of a version have the status subresource, and a status that
// can have no conditions.
func (v *Version) lacksConditions() bool {
	if v.GoTypes || !v.Subresources.Status || v.Status == nil {
		return false
	}
	status := v.Status.Declared()
	mayHaveMore := status.Type != "" || status.AdditionalProperties != nil || status.Keywords.XPreserveUnknownFields != nil
	return !mayHaveMore && status.Property("conditions") == nil
}

// StorageVersion returns the version that objects are stored in, which the operator works on.
func (s *Summary) StorageVersion() VersionSummary {
	for _, v := range s.Versions {
		if v.Storage {
			return v
		}
	}
	return s.Versions[0]
}
