// Package instance runs the operator of a test against a real API server.
//
// [New] prepares a namespace, and [Operator.Run] runs the operator until the test ends. Each
// process (process.go) has its own connection through package fault to package requests: a test
// crashes the one and starts another. The operator is settled (settle.go) when no process has
// anything left to do and its caches show the live objects (live.go).
//
// What a test of an author sees of it is in package operatortest. Packages truth, explore and
// admission add to it.
package instance
