package templates

import (
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/internal/kinds"
	"github.com/opgen-dev/opgen/internal/spec"
)

func TestImportsFollowWhatIsKeptOfRelatedObjects(t *testing.T) {
	for name, metadata := range map[string]bool{"whole objects": false, "their metadata": true} {
		cache := map[bool]spec.Cache{true: spec.CacheMetadata}[metadata]
		t.Run(name, func(t *testing.T) {
			o := echo()
			o.Alias = "demov1"
			o.Related = []kinds.Related{{Resource: kinds.Resource{Field: "Widgets", APIVersion: "example.org/v1", Kind: "Widget"}, Spec: spec.Related{Cache: cache}}}
			source, err := OperatorFile(o)
			if err != nil {
				t.Fatal(err)
			}
			for imported, wanted := range map[string]bool{"meta/v1/unstructured": !metadata, `metav1 "k8s.io`: metadata} {
				if strings.Contains(string(source), imported) != wanted {
					t.Errorf("%s is imported: %v, want %v:\n%s", imported, !wanted, wanted, source)
				}
			}
		})
	}
}
