// Command pod-terminator runs the controllers of this project.
package main

import "github.com/opgen-dev/opgen/runtime/operator"

//go:generate go tool -modfile=tools.mod opgen generate

// To add to the manager that runs the controllers, such as a webhook, pass operator.Setup as well.
func main() {
	operator.Main(controllers)
}
