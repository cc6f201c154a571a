package scaffold

import (
	"slices"

	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/parallel"
	"github.com/opgen-dev/opgen/internal/spec"
)

// API is an API of a project. Files of the whole project are made from its summary. Files of its own
// are made from what Read returns, so that an API is parsed only if one of them is made.
type API struct {
	*spec.Summary
	Read func() *spec.API // the API with its schemas
	// Digest is that of the spec file with the shared types. It is empty if the API is made from
	// Go source, too: then its files are made in each run.
	Digest string
}

// Parsed returns APIs that are parsed already.
func Parsed(apis ...*spec.API) []API {
	parsed := make([]API, len(apis))
	for i, api := range apis {
		parsed[i] = API{Summary: api.Summary(), Read: func() *spec.API { return api }}
	}
	return parsed
}

// ReadAll returns APIs with their schemas.
func ReadAll(apis []API) []*spec.API {
	read := make([]*spec.API, len(apis))
	parallel.Each(len(apis), func(i int) { read[i] = apis[i].Read() })
	return read
}

// Summaries returns the summaries of APIs.
func Summaries(apis []API) []*spec.Summary {
	all := make([]*spec.Summary, len(apis))
	for i, api := range apis {
		all[i] = api.Summary
	}
	return all
}

// NeedsGoSource reports whether an API needs Go source that has not been loaded yet.
func (in Input) NeedsGoSource() bool {
	return slices.ContainsFunc(in.APIs, func(api API) bool { return api.Digest == "" && crdgen.NeedsGoSource(api.Read()) })
}
