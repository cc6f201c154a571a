// Package opgen holds the module files of opgen itself. What opgen is tested with is what the projects that it
// makes are pinned to. The command is in cmd/opgen, the packages that projects link are in runtime.
package opgen

import _ "embed"

// GoMod is opgen's go.mod.
//
//go:embed go.mod
var GoMod []byte

// GoSum is opgen's go.sum.
//
//go:embed go.sum
var GoSum []byte
