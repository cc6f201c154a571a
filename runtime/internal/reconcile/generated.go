package reconcile

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
	"github.com/opgen-dev/opgen/runtime/internal/ownership"
)

// checkGenerated returns an error if a child cannot have the values that are to be generated. policies
// are those of the child and its kind.
func (kind *childKind) checkGenerated(desired declared.DesiredChild, policies declared.Policies) error {
	if len(desired.Generate) == 0 {
		return nil
	}
	rules := policies.Update.Rules()
	switch {
	case kind.GroupVersionKind != corev1.SchemeGroupVersion.WithKind("Secret"):
		return errors.New("only Secrets have generated values")
	case !rules.WritesChanges || rules.Recreates, policies.WhenImmutable == declared.RecreateIfImmutable, desired.Recreate:
		return errors.New("generated values need a Secret that is changed in place: use InPlace or RollingInPlace, and neither RecreateIfImmutable nor RecreateIf, which would lose them")
	}
	seen := map[string]bool{}
	for _, generated := range desired.Generate {
		switch {
		case seen[generated.Key]:
			return fmt.Errorf("the value of %q is generated twice", generated.Key)
		case generated.Length < 1:
			return fmt.Errorf("the generated value of %q needs a length", generated.Key)
		}
		seen[generated.Key] = true
	}
	return nil
}

// generatedTokens returns the tokens that the values of a Secret were generated for, by their keys. It
// returns nil if somebody else wrote them.
func (c *childCache) generatedTokens(secret client.Object) map[string]string {
	if _, isOurs := ownership.AnnotationWrittenAt(secret, c.keys.Generated, c.manager); !isOurs {
		return nil
	}
	return declared.ParseGeneratedText(secret.GetAnnotations()[c.keys.Generated])
}

// checkSet returns an error if the content that an author desires of a child has a value which is to be
// generated.
func checkSet(generate []declared.GeneratedKey, content map[string]any) error {
	for _, generated := range generate {
		for _, field := range []string{"data", "stringData"} {
			values, _ := content[field].(map[string]any)
			if _, isSet := values[generated.Key]; isSet {
				return fmt.Errorf("the value of %q is generated, and set, too", generated.Key)
			}
		}
	}
	return nil
}
