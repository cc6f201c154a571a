// Package process runs the controllers of an operator in one process.
//
//	main.go, flags.go             the command line, the cluster, and why a process cannot run
//	run.go, start.go, probes.go   the manager, its caches and probes
//	lifetime.go                   how long reconciles may go on after the process is told to stop
//	lease.go, lease_names.go      leader election; a replica that loses its Lease writes nothing more
//	transport.go, client.go       requests to the API server
//	observe.go                    what an operator with --observe reports in place of its writes
//	metrics.go, trace.go          what a controller reports, and exporter.go sends
//
// A controller gets an [Environment]. The package knows nothing else of controllers.
package process
