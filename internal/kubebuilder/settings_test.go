package kubebuilder

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/spec"
)

func TestReadSettings(t *testing.T) {
	plain := Settings{EmbeddedMetadata: spec.NoMetadata}
	for _, test := range []struct {
		name, makefile string
		want           Settings
	}{
		{"no Makefile", "", plain},
		{"no options", "manifests:\n\t$(CONTROLLER_GEN) rbac:roleName=manager-role crd webhook paths=\"./...\" output:crd:artifacts:config=config/crd/bases\n", plain},
		{"options in the command", "manifests:\n\t\"$(CONTROLLER_GEN)\" crd:maxDescLen=0,generateEmbeddedObjectMeta=true webhook \\\n\t  object:headerFile=\"./hack/header.txt\",year=$(YEAR)\n",
			Settings{MaxDescLen: "0", EmbeddedMetadata: spec.AllMetadata, HeaderFile: "hack/header.txt"}},
		{"options in a variable", "CRD_OPTIONS ?= \"crd:ignoreUnexportedFields=true,maxDescLen=120\"\n",
			Settings{MaxDescLen: "120", EmbeddedMetadata: spec.NoMetadata, IgnoreUnexportedFields: true}},
		{"options that are off", "x:\n\tcontroller-gen crd:generateEmbeddedObjectMeta=false,ignoreUnexportedFields=false,maxDescLen=$(LEN)\n", plain},
		{"two command lines", "a:\n\tcontroller-gen crd:maxDescLen=1\nb:\n\tcontroller-gen crd:maxDescLen=2\n", Settings{MaxDescLen: "1", EmbeddedMetadata: spec.NoMetadata}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, ReadSettings([]byte(test.makefile))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
