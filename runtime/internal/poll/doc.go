// Package poll asks something outside of the cluster about keys, again and again and off the workers.
//
// A parent names the keys that it wants to know about, and gets the latest answers. A key is asked about
// at once when the first parent names it, then once in a period, and no more once no parent names it. A
// parent is reconciled when an answer about one of its keys has changed. Several parents may name the
// same key.
//
// Nothing is stored: after a restart, and after a change of the leader, no answer is known until the
// first has come.
package poll
