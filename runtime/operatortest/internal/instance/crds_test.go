package instance

import (
	"slices"
	"testing"
)

func TestReadCRDs(t *testing.T) {
	crds, err := readCRDs("../../../internal/testapi")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, crd := range crds {
		names = append(names, crd.Metadata.Name)
	}
	if want := []string{"sites.test.opgen.dev", "realms.test.opgen.dev", "widgets.test.opgen.dev", "catalogs.test.opgen.dev", "sites.severe.test.opgen.dev"}; !slices.Equal(names, want) {
		t.Errorf("read %v, want %v", names, want)
	}
	if _, err := readCRDs("../../../operator"); err == nil || err.Error() != "../../../operator contains no CustomResourceDefinition" {
		t.Errorf("error %v for a folder without one", err)
	}
}
