package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/opgen-dev/opgen/internal/permissions"
	"github.com/opgen-dev/opgen/internal/tree"
)

// manifestsDir has the manifests whose roles are compared.
const manifestsDir = "deploy/"

// permissionChanges returns how the changes of files change what roles permit. The roles of a file that
// somebody has made unreadable are not compared, and it says so.
func permissionChanges(s streams, changes []tree.Change) []permissions.Change {
	var before, after [][]byte
	for _, c := range changes {
		if strings.HasPrefix(c.Path, manifestsDir) && path.Ext(c.Path) == ".yaml" {
			before, after = append(before, c.Old), append(after, c.New)
		}
	}
	was, err := permissions.Parse(before...)
	if err != nil {
		fmt.Fprintf(s.err, "changes of permissions are not shown, since a file in %s cannot be read: %v\n", manifestsDir, err)
		return nil
	}
	will, err := permissions.Parse(after...)
	if err != nil {
		fmt.Fprintf(s.err, "changes of permissions are not shown: %v\n", err)
		return nil
	}
	return permissions.Compare(was, will)
}

// permissionReport is permissions for one target in the output of -o json.
type permissionReport struct {
	Action    string   `json:"action"` // add, remove or unused
	Role      string   `json:"role,omitempty"`
	Namespace string   `json:"namespace,omitempty"` // without it: in the whole cluster
	Group     string   `json:"group"`
	Resource  string   `json:"resource,omitempty"`
	Name      string   `json:"name,omitempty"`
	URL       string   `json:"url,omitempty"`
	Verbs     []string `json:"verbs"`
	Dangers   []string `json:"dangers,omitempty"`
}

func permissionReports(changes []permissions.Change) []permissionReport {
	reports := []permissionReport{}
	for _, c := range changes {
		action := "remove"
		if c.Added {
			action = "add"
		}
		reports = append(reports, reportOf(c.Target, action, c.Verbs, c.Dangers))
	}
	return reports
}

func reportOf(t permissions.Target, action string, verbs, dangers []string) permissionReport {
	return permissionReport{
		Action: action, Role: t.Role, Namespace: t.Namespace, Group: t.Group, Resource: t.Resource, Name: t.Name, URL: t.URL,
		Verbs: verbs, Dangers: dangers,
	}
}
