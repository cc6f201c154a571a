// Package cache records what a run of opgen found out about a project, so that the next run need
// not find it out again.
//
//	File   the record of one project, in the user's cache folder: Load, Save
//	Tree   a tree of files that notes what is read of it
//	Same   whether a tree still answers as it did
//
// A record is valid for one build of opgen only. The record of another build, or a damaged one, is
// treated as missing.
package cache
