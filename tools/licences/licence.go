package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licences of what may be linked, by their SPDX identifiers: an operator made with opgen can be under any
// licence.
var allowed = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"}

// besides are those of programs that a release has beside opgen and that are linked with nothing of a user. The MPL asks
// to say where the source is: the texts name each module with its version.
var besides = append(slices.Clone(allowed), "MPL-2.0")

// chosen are the licences of modules that offer several to choose from.
var chosen = map[string]string{
	"github.com/spdx/tools-golang": "Apache-2.0", // or GPL-2.0-or-later
}

// minCovered is how much of a file has to be the text of known licences, in percent. The rest are names and notices.
const minCovered = 75

// readLicences returns the licences of the module in a folder, and its files with texts that a copy has to carry.
func readLicences(dir string) (licences, files []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, entry := range entries {
		name := strings.ToLower(entry.Name())
		isLicence := strings.HasPrefix(name, "licen") && !strings.HasSuffix(name, ".docs") || strings.HasPrefix(name, "copying")
		if !entry.Type().IsRegular() || !isLicence && !strings.HasPrefix(name, "notice") {
			continue
		}
		files = append(files, entry.Name())
		if !isLicence {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, nil, err
		}
		for _, id := range identify(text) {
			if !slices.Contains(licences, id) {
				licences = append(licences, id)
			}
		}
	}
	slices.Sort(licences)
	return licences, files, nil
}

// identify returns the licences in a text. One that is mostly something else is of an unknown licence.
func identify(text []byte) []string {
	covered := licensecheck.Scan(text)
	var ids []string
	for _, match := range covered.Match {
		if !match.IsURL {
			ids = append(ids, match.ID)
		}
	}
	if covered.Percent < minCovered || len(ids) == 0 {
		ids = append(ids, "unknown")
	}
	return ids
}

// checkAllowed returns an error that names all modules with a licence that is not allowed.
func checkAllowed(linked []linkedModule, allowed []string) error {
	var refused []error
	for _, m := range linked {
		if licence, offered := chosen[m.path]; offered && slices.Contains(m.licences, licence) {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(m.licences), func(id string) bool { return slices.Contains(allowed, id) })
		switch {
		case len(m.licences) == 0:
			refused = append(refused, fmt.Errorf("%s %s has no licence", m.path, m.version))
		case len(others) > 0:
			refused = append(refused, fmt.Errorf("%s %s has a licence that may not be linked, or that is not known: %s", m.path, m.version, strings.Join(others, ", ")))
		}
	}
	return errors.Join(refused...)
}
