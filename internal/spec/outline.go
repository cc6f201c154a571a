package spec

import "slices"

// Outline returns the API without its schemas. That is enough for everything that looks at names,
// versions and the operator alone, and takes no time to read.
func (api *API) Outline() *API {
	out := *api
	out.Outlined, out.Types, out.Versions = true, nil, slices.Clone(api.Versions)
	for i := range out.Versions {
		v := &out.Versions[i]
		v.Root, v.Spec, v.Status = nil, nil, nil
	}
	return &out
}

// NeedSchemas panics if the API is an outline: whoever looks at its schemas would take it for an
// API without any.
func (api *API) NeedSchemas() {
	if api.Outlined {
		panic("the outline of " + api.File + " has no schemas")
	}
}
