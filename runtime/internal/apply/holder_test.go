package apply

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestHolderName(t *testing.T) {
	for _, test := range []struct{ kind, want string }{
		{"Site.demo.example.com", "Site web"},
		{"Site.other.example.com", "Site.other.example.com web"},
		{"ReplicaSet.apps", "ReplicaSet.apps web"},
		{"Secret", "Secret web"},
		{"", ""},
	} {
		if got := holderName(schema.ParseGroupKind(test.kind), "web", "demo.example.com"); got != test.want {
			t.Errorf("of %q: %q, want %q", test.kind, got, test.want)
		}
	}
}
