// Package cache keeps what a run of opgen found out about a project, so that the next run need not
// find it out again.
//
//	File   the record of one project, in the user's cache folder: Load, Save
//	Tree   a tree of files that notes what is read of it
//	Same   whether a tree still answers as it did
//
// A record is of one build of opgen. One of another build, one that is damaged and one that is
// missing are the same: there is none. Nothing in the project depends on a record.
package cache
