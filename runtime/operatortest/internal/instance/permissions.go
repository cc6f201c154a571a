package instance

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

// requestsVariable names a directory where each test with roles leaves a file with the permissions that its operator
// has used. opgen check --requests compares them with the roles.
const requestsVariable = "OPGEN_TEST_REQUESTS"

// usedPermissions is what such a file has.
type usedPermissions struct {
	Test       string         `json:"test"`
	Roles      string         `json:"roles"` // absolute path of the file
	ToConverge int            `json:"toConverge,omitempty"`
	Uses       []requests.Use `json:"uses"`
}

// checkRoles fails the test if the roles did not allow a request of the operator, and records the permissions that it
// has used.
func (o *Operator) checkRoles() {
	if o.Config.Roles == "" {
		return
	}
	uses, refused := o.readUses()
	if len(refused) > 0 && !o.Config.LacksRights {
		var lines strings.Builder
		for _, use := range refused {
			lines.WriteString("\n  " + use.String())
			if use.Namespace != "" {
				lines.WriteString(" in namespace " + use.Namespace)
			}
		}
		o.T.Errorf("the roles in %s do not allow what the operator requests:%s", o.Config.Roles, &lines)
	}
	if dir := os.Getenv(requestsVariable); dir != "" {
		if err := o.recordUses(dir, uses); err != nil {
			o.T.Errorf("%s: %v", requestsVariable, err)
		}
	}
}

// readUses returns the permissions that the operator has used, and those that it lacked, as its client and the audit
// log have them.
func (o *Operator) readUses() (uses map[requests.Use]bool, refused []requests.Use) {
	uses, refused = o.Sent.Uses(), o.Sent.Refused()
	if o.audit == nil {
		return uses, refused
	}
	logged := o.audit.Uses()
	for deadline := time.Now().Add(lateLog); ; time.Sleep(Glance) {
		if err := o.audit.ReadNew(); err != nil {
			o.T.Error(err)
			break
		}
		logged = o.audit.Uses()
		if isComplete(logged, uses) || time.Now().After(deadline) {
			break
		}
	}
	if uses == nil {
		uses = map[requests.Use]bool{}
	}
	maps.Copy(uses, logged)
	for _, use := range o.audit.Refused() {
		if !slices.Contains(refused, use) {
			refused = append(refused, use)
		}
	}
	return uses, refused
}

// isComplete reports whether the audit log has what the operator's client has sent.
func isComplete(logged, sent map[requests.Use]bool) bool {
	for use := range sent {
		if _, _, implied := use.OfKind(); !implied && !logged[use] {
			return false
		}
	}
	return true
}

// recordUses writes the used permissions into a file of the test. In it, the namespace of the test stands for that of
// the operator's ServiceAccount and for each that the operator watches by a list.
func (o *Operator) recordUses(dir string, uses map[requests.Use]bool) error {
	roles, err := filepath.Abs(o.Config.Roles)
	if err != nil {
		return err
	}
	homes, err := homesOf(roles)
	if err != nil {
		return err
	}
	record := usedPermissions{Test: o.T.Name(), Roles: roles, ToConverge: o.ToConverge}
	for use := range uses {
		if kind, subresource, found := use.OfKind(); found {
			mapping, err := o.Client.RESTMapper().RESTMapping(schema.GroupKind{Group: use.Group, Kind: kind})
			if err != nil {
				return err
			}
			use.Resource = mapping.Resource.Resource + "/" + subresource
		}
		if use.Namespace != o.Namespace {
			record.Uses = append(record.Uses, use)
			continue
		}
		for _, home := range homes {
			use.Namespace = home
			record.Uses = append(record.Uses, use)
		}
	}
	slices.SortFunc(record.Uses, func(a, b requests.Use) int {
		return cmp.Or(strings.Compare(a.String(), b.String()), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	data, err := json.MarshalIndent(record, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, o.Namespace+".json"), data, 0o644)
}

// homesOf returns the namespaces that the test's stands for in a file of roles: that of the ServiceAccount, or none
// without one, and those that the operator watches by a list.
func homesOf(roles string) ([]string, error) {
	data, err := os.ReadFile(roles)
	if err != nil {
		return nil, err
	}
	objects, err := parseObjects(data)
	homes := []string{""}
	for _, object := range objects {
		switch {
		case object.Kind == "ServiceAccount":
			homes[0] = object.Metadata.Namespace
		case object.Kind == "Role" && isWatched(object.Metadata.Annotations):
			homes = append(homes, object.Metadata.Namespace)
		}
	}
	return homes, err
}
