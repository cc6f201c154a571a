package cluster

import (
	"strings"
	"testing"
)

func TestFindRelease(t *testing.T) {
	for version, want := range map[string]Release{
		"1.33": "v1.33.13", "v1.33": "v1.33.13", "1.33.13": "v1.33.13", "v1.33.13": "v1.33.13", "1.36": Version, Version: Version,
	} {
		if got, err := FindRelease(version); err != nil || got != want {
			t.Errorf("FindRelease(%q) = %s, %v", version, got, err)
		}
	}
	for _, version := range []string{"1.32", "1.3", "1.33.1", "33", "", "latest"} {
		got, err := FindRelease(version)
		if err == nil {
			t.Errorf("FindRelease(%q) = %s", version, got)
			continue
		}
		for _, want := range []string{`"` + version + `"`, "1.33 (v1.33.13)", "1.36 (" + Version + ")", "--assets"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("FindRelease(%q): %v: no %s", version, err, want)
			}
		}
	}
}
