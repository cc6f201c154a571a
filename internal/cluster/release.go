package cluster

import (
	"fmt"
	"slices"
	"strings"
)

// Release is a version of Kubernetes that Build can make, such as v1.36.3.
type Release string

// Version is the newest release. Up starts it unless its options name another one.
const Version = "v1.36.3"

// Releases returns the releases that Build can make, the oldest first. The main module of each older one has files
// of its own in module/, in a directory named after its minor version.
func Releases() []Release { return []Release{"v1.33.13", Version} }

// FindRelease returns the release of a minor version, such as 1.33, or of a whole version. Its error
// lists those that exist.
func FindRelease(version string) (Release, error) {
	wanted := strings.TrimPrefix(version, "v")
	releases := Releases()
	i := slices.IndexFunc(releases, func(r Release) bool { return "v"+wanted == string(r) || wanted == r.Minor() })
	if i >= 0 {
		return releases[i], nil
	}
	var names []string
	for _, r := range releases {
		names = append(names, fmt.Sprintf("%s (%s)", r.Minor(), r))
	}
	return "", fmt.Errorf("cannot build Kubernetes %q: choose one of %s, or name a directory with the executables of another version with --assets", version, strings.Join(names, ", "))
}

// Minor returns the minor version, such as 1.36.
func (r Release) Minor() string { return strings.Join(strings.Split(string(r[1:]), ".")[:2], ".") }

// orNewest returns the newest release in place of the zero value.
func (r Release) orNewest() Release {
	if r == "" {
		return Version
	}
	return r
}
