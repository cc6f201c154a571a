// Command example-app runs the controllers of this project.
package main

import "github.com/opgen-dev/opgen/runtime/operator"

//go:generate env GOWORK=off go run -mod=readonly -modfile=tools.mod github.com/opgen-dev/opgen/cmd/opgen generate

// To add to the manager that runs the controllers, such as a webhook, pass operator.Setup as well.
func main() {
	operator.Main(controllers)
}
