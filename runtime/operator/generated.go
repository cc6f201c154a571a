package operator

import (
	"fmt"

	"github.com/cespare/xxhash/v2"
	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

// Random is the number of letters and digits of a random value.
type Random = declared.Random

// Generate has the runtime generate the value of a key of a Secret, such as a password, when it writes
// the Secret for the first time. From then on the value stays as it is in the cluster, also if somebody
// else writes another one. Another token, such as a field of the parent, has a new value generated. The
// token is no secret: the Secret carries it in an annotation.
//
// Sync gets the value by [Snapshot.Generated], once it is stored.
//
//	want.Secrets.Add(secret, operator.Generate("password", operator.Random(24), shop.Spec.Rotation))
func Generate(key string, length Random, token string) ChildOption {
	return declared.OptionFunc(func(child *DesiredChild) {
		child.Generate = append(child.Generate, declared.GeneratedKey{Key: key, Length: length, Token: token})
	})
}

// GeneratedValue is a value of a Secret that the runtime has generated.
type GeneratedValue struct {
	Value string
	// Revision differs for each value that is generated. It is no secret: in an annotation of a Pod
	// template, it has the Pods restarted for a new value. It stays when somebody else writes a value.
	Revision string
}

// Generated returns the value of a key of a Secret that [Generate] asks for, as it is stored. It reports
// false while the Secret has none: it is missing or being deleted, the value is gone, or it is not known
// yet which token the value was generated for. Sync then leaves alone what depends on the value; see
// [Response.KeepAll]. It takes names as Get does.
func (s Snapshot[T]) Generated(name, key string) (GeneratedValue, bool) {
	i, ok := s.find(name)
	if !ok {
		return GeneratedValue{}, false
	}
	secret, ok := any(s.items[i]).(*corev1.Secret)
	if !ok || secret.DeletionTimestamp != nil || len(secret.Data[key]) == 0 {
		return GeneratedValue{}, false
	}
	token := ""
	if s.generatedTokens != nil {
		if token, ok = s.generatedTokens(secret)[key]; !ok {
			return GeneratedValue{}, false
		}
	}
	revision := xxhash.Sum64String(fmt.Sprintf("%q %q %q", secret.UID, key, token))
	return GeneratedValue{string(secret.Data[key]), fmt.Sprintf("%016x", revision)}, true
}
