package main

import (
	"fmt"
	"os/exec"
	"strings"
)

// modules are what the bundle depends on: another version of one of them can make another bundle.
var modules = []string{
	"k8s.io/api",
	"k8s.io/apimachinery",
	"k8s.io/apiextensions-apiserver",
	"sigs.k8s.io/controller-tools",
}

// versions maps the modules to the versions that the build uses.
func versions() (map[string]string, error) {
	args := append([]string{"list", "-m", "-f", "{{.Path}} {{.Version}}"}, modules...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("versions of the Kubernetes modules: %w", err)
	}
	versions := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		versions[path] = version
	}
	return versions, nil
}
