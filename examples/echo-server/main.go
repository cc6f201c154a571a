// Command echo-operator runs the controllers of this project. To add to the manager that runs them, such as a webhook,
// pass operator.Setup.
package main

import "github.com/opgen-dev/opgen/runtime/operator"

//go:generate go tool -modfile=tools.mod opgen generate

func main() {
	operator.Main(controllers)
}
