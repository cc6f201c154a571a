// Package alerts tests the alerts and the dashboard that opgen generates, with Prometheus' own code and the
// types of the Prometheus Operator. It is a module of its own, so that opgen does not depend on them.
package alerts
