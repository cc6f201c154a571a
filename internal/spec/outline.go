package spec

import "slices"

// Outline returns the API without its schemas. It has the names, the versions and the operator, and
// takes no time to read from a cache.
func (api *API) Outline() *API {
	out := *api
	out.Outlined, out.Types, out.Versions = true, nil, slices.Clone(api.Versions)
	for i := range out.Versions {
		v := &out.Versions[i]
		v.Root, v.Spec, v.Status = nil, nil, nil
	}
	return &out
}

// NeedSchemas panics if the API is an outline. A caller that reads schemas would otherwise treat it
// as an API without any.
func (api *API) NeedSchemas() {
	if api.Outlined {
		panic("the outline of " + api.File + " has no schemas")
	}
}
