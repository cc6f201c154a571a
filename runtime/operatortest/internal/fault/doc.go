// Package fault has requests of an operator go wrong. A [Plan] holds the faults of a test, and
// [Transport] executes them on the [Connection] of one process.
package fault
