// Package diff describes how values differ that no API server has seen: responses of Sync, desired
// sets and Kubernetes objects (values.go), those as JSON (fields.go), and an object that is to have
// the fields of another (subset.go). It shows no secrets (secrets.go).
package diff
