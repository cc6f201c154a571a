package templates

import (
	"github.com/opgen-dev/opgen/internal/crdgen"
)

// Types renders zz_generated.types.go of a package.
func Types(pkg crdgen.Package) ([]byte, error) {
	return nil, nil
}

// DeepCopy renders zz_generated.deepcopy.go of a package.
func DeepCopy(pkg crdgen.Package) ([]byte, error) {
	return nil, nil
}

// Register renders zz_generated.register.go of a package.
func Register(pkg crdgen.Package) ([]byte, error) {
	return nil, nil
}
