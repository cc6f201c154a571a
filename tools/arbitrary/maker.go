// Package arbitrary makes random valid objects of CRDs, the same ones for the same seed: every
// branch and boundary of a schema turns up in some of them. What Go types and encoders do with real
// objects is tested with them.
package arbitrary

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"

	"github.com/opgen-dev/opgen/internal/crdgen"
)

type props = apiextv1.JSONSchemaProps

// Maker makes objects of one version of a CRD.
type Maker struct {
	scalarMaker
	keywordChecker
	validator        *crdgen.ObjectValidator
	root             *node
	apiVersion, kind string
	namespaced       bool
	made             int
	tries            int
	effort           int    // how often values may still be mended
	against          string // what stood against the last value that was given up
	filled           bool   // what the API server fills in is there
}

// chooser makes the random choices of a Maker.
type chooser struct{ random *rand.Rand }

// New returns a maker for a version of a valid CRD. The seed decides which objects it makes.
func New(crd *apiextv1.CustomResourceDefinition, version, seed string) (*Maker, error) {
	for _, v := range crd.Spec.Versions {
		if v.Name != version {
			continue
		}
		validator, err := crdgen.NewObjectValidator(v.Schema.OpenAPIV3Schema)
		if err != nil {
			return nil, err
		}
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(seed + "\x00" + crd.Name + "\x00" + version))
		m := &Maker{
			scalarMaker:    scalarMaker{chooser{rand.New(rand.NewPCG(hash.Sum64(), 0))}, 1 << 11},
			keywordChecker: keywordChecker{map[*props]validation.SchemaValidator{}, map[*props]map[string]*props{}},
			validator:      validator,
			apiVersion:     crd.Spec.Group + "/" + version,
			kind:           crd.Spec.Names.Kind,
			namespaced:     crd.Spec.Scope == apiextv1.NamespaceScoped,
			tries:          24,
		}
		structural, err := structuralOf(v.Schema.OpenAPIV3Schema)
		if err != nil {
			return nil, err
		}
		m.root, err = m.node(v.Schema.OpenAPIV3Schema, structural, true, nil)
		return m, err
	}
	return nil, fmt.Errorf("%s has no version %q", crd.Name, version)
}

// Object returns the next object, as package json of apimachinery decodes it. An error says what
// the API server has against the last of many that were tried.
func (m *Maker) Object() (map[string]any, error) {
	var found []string
	for try := range m.tries {
		// One in three is as small as can be, the others are as large as helps; what fails is tried
		// smaller.
		budget := []int{0, 60, 400}[m.made%3] >> (try / 2)
		m.effort, m.filled = mostEffort, false
		value, ok := m.value(m.root, nil, budget)
		object, isObject := value.(map[string]any)
		if !ok || !isObject {
			found = []string{"no value found that the schema allows" + m.against}
			continue
		}
		if m.filled {
			m.strip(m.root, object)
		}
		if found = m.validator.Validate(object); len(found) == 0 {
			m.made++
			return object, nil
		}
	}
	return nil, fmt.Errorf("%s: %s", m.kind, found[0])
}

// Validator returns what the objects are checked with.
func (m *Maker) Validator() *crdgen.ObjectValidator { return m.validator }

// chance is true in one of so many cases.
func (m *chooser) chance(oneOf int) bool { return m.random.IntN(oneOf) == 0 }
