// Package schemas knows the kinds of an API server by the OpenAPI documents that it publishes.
//
// A [Kind] compares objects as the API server itself does for server-side apply, by
// structured-merge-diff: items of lists are told apart by the keys that the schema names, and atomic
// values are compared as a whole. Its [Schema] says which values are possible, and a [Path] leads to
// one of them.
package schemas
