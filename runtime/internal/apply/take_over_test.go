package apply

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// entryText returns an entry of managedFields as this test writes it.
func entryText(entry metav1.ManagedFieldsEntry) string {
	var paths []string
	for path := range managedfields.Parse(entry.FieldsV1.GetRawBytes()).All() {
		paths = append(paths, path.String())
	}
	slices.Sort(paths)
	return strings.TrimSpace(fmt.Sprintf("%s %s %s %s%s", entry.Manager, entry.Operation, entry.APIVersion, strings.Join(paths, " "), entry.Subresource))
}

func TestEntriesOfNamedManagersAreTaken(t *testing.T) {
	entry := func(manager string, operation metav1.ManagedFieldsOperationType, version, fields string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: operation, APIVersion: version, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields)}
	}
	const a, b, status, kept = `{"f:data":{"f:a":{}}}`, `{"f:data":{"f:b":{}}}`, `{"f:status":{"f:phase":{}}}`, `{"f:data":{"f:a":{}},"f:metadata":{"f:finalizers":{"v:\"kept\"":{}}}}`
	update, apply := metav1.ManagedFieldsOperationUpdate, metav1.ManagedFieldsOperationApply
	ofStatus := entry("old", update, "v1", status)
	ofStatus.Subresource = "status"
	for name, test := range map[string]struct {
		entries []metav1.ManagedFieldsEntry
		want    []string
		from    string
		others  string
	}{
		"of an update":              {[]metav1.ManagedFieldsEntry{entry("old", update, "v1", a)}, []string{"own Apply v1 .data.a"}, "[old]", ""},
		"of an apply":               {[]metav1.ManagedFieldsEntry{entry("old", apply, "v1", a)}, []string{"own Apply v1 .data.a"}, "[old]", ""},
		"of both":                   {[]metav1.ManagedFieldsEntry{entry("old", apply, "v1", a), entry("old", update, "v1", b)}, []string{"own Apply v1 .data.a .data.b"}, "[old]", ""},
		"of several":                {[]metav1.ManagedFieldsEntry{entry("old", update, "v1", a), entry("older", update, "v1", b)}, []string{"own Apply v1 .data.a .data.b"}, "[old older]", ""},
		"beside our own":            {[]metav1.ManagedFieldsEntry{entry("own", apply, "v1", a), entry("old", update, "v1", b)}, []string{"own Apply v1 .data.a .data.b"}, "[old]", ""},
		"beside our update":         {[]metav1.ManagedFieldsEntry{entry("own", update, "v1", a), entry("old", update, "v1", b)}, []string{"own Update v1 .data.a", "own Apply v1 .data.b"}, "[old]", ""},
		"not of others":             {[]metav1.ManagedFieldsEntry{entry("old", update, "v1", a), entry("kubectl-edit", update, "v1", b)}, []string{"kubectl-edit Update v1 .data.b", "own Apply v1 .data.a"}, "[old]", "kubectl-edit "},
		"not of another version":    {[]metav1.ManagedFieldsEntry{entry("own", apply, "v1", a), entry("old", update, "v1beta1", b)}, []string{"old Update v1beta1 .data.b", "own Apply v1 .data.a"}, "[]", "old "},
		"not of a subresource":      {[]metav1.ManagedFieldsEntry{ofStatus}, []string{"old Update v1 .status.phasestatus"}, "[]", ""},
		"not a status":              {[]metav1.ManagedFieldsEntry{entry("old", update, "v1", status)}, []string{"old Update v1 .status.phase"}, "[]", "old "},
		"not a finalizer":           {[]metav1.ManagedFieldsEntry{entry("old", update, "v1", kept)}, []string{`old Update v1 .metadata.finalizers[="kept"]`, "own Apply v1 .data.a"}, "[old]", "old "},
		"Kubernetes is no stranger": {[]metav1.ManagedFieldsEntry{entry("kube-controller-manager", update, "v1", a)}, []string{"kube-controller-manager Update v1 .data.a"}, "[]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var made Takeover
			rest, err := made.takeEntries(test.entries, []string{"old", "older"}, "own")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, entry := range rest {
				got = append(got, entryText(entry))
			}
			others := ""
			for _, other := range made.Others {
				others += other.Manager + " "
			}
			if !slices.Equal(got, test.want) || fmt.Sprint(made.From) != test.from || others != test.others {
				t.Errorf("entries are %q, from %v, others %q", got, made.From, others)
			}
		})
	}
}
