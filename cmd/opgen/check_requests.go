package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/opgen-dev/opgen/internal/permissions"
	"github.com/opgen-dev/opgen/internal/project"
)

// rolesFile has the operator's roles.
const rolesFile = manifestsDir + "zz_generated.rbac.yaml"

// requestedPermissions is the flag --requests of opgen check: where tests have recorded what they requested.
type requestedPermissions struct{ dir string }

// unusedReport is a permission that no test has used, in the output of -o json.
type unusedReport struct {
	permissionReport
	Reason string `json:"reason,omitempty"` // why that is no fault
}

// findUnused returns the permissions of a project that no test has used, without the flag none.
func (r requestedPermissions) findUnused(projectDir string) ([]permissions.Unused, error) {
	if r.dir == "" {
		return nil, nil
	}
	roles := filepath.Join(projectDir, filepath.FromSlash(rolesFile))
	manifest, err := os.ReadFile(roles)
	if err != nil {
		return nil, err
	}
	granted, err := permissions.Parse(manifest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rolesFile, err)
	}
	uses, tests, err := permissions.ReadUses(r.dir, roles)
	if err != nil {
		return nil, err
	}
	if tests == 0 {
		return nil, project.InputErrorf("--requests %s: no test has recorded there what it requested with the roles of this project\n"+
			"    run the tests with OPGEN_TEST_REQUESTS set to an absolute path of it, and operatortest.Config.Roles to %s", r.dir, rolesFile)
	}
	return permissions.FindUnused(granted, uses), nil
}

// reportUnused returns the findings among unused permissions, and prints those with a reason.
func reportUnused(s streams, out outputFlag, unused []permissions.Unused) (findings []project.Finding, reports []unusedReport) {
	for _, u := range unused {
		what := strings.Join(u.Verbs, ", ") + " " + u.Target.String()
		reports = append(reports, unusedReport{reportOf(u.Target, "unused", u.Verbs, nil), u.Reason})
		switch {
		case u.Reason == "":
			message := strings.Join(append([]string{"no test has used: " + what}, u.Uses...), "\n    ")
			findings = append(findings, project.Finding{Path: rolesFile, Message: message})
		case !out.json():
			fmt.Fprintf(s.err, "not used by tests, and needed %s: %s\n", u.Reason, what)
		}
	}
	return findings, reports
}
