package image

import (
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// parsePlatform returns the platform that a text such as linux/arm64 names.
func parsePlatform(text string) v1.Platform {
	words := append(strings.Split(text, "/"), "", "")
	return v1.Platform{OS: words[0], Architecture: words[1], Variant: words[2]}
}

// goEnvironment returns the variables that make the go command compile for a platform, without cgo and
// for its oldest processors, whatever the environment says.
func goEnvironment(p v1.Platform) []string {
	env := []string{
		"GOOS=" + p.OS, "GOARCH=" + p.Architecture, "CGO_ENABLED=0",
		"GOAMD64=v1", "GOARM64=v8.0", "GOPPC64=power8", "GORISCV64=rva20u64",
	}
	if variant, ok := strings.CutPrefix(p.Variant, "v"); ok && p.Architecture == "arm" {
		env = append(env, "GOARM="+variant)
	}
	return env
}
