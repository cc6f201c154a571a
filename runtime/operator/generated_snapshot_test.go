package operator_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func authSecret(uid types.UID, password string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "auth", UID: uid}, Data: map[string][]byte{"password": []byte(password), "other": []byte("x")}}
}

func TestGeneratedInASnapshotOfATest(t *testing.T) {
	deleting := authSecret("1", "word")
	deleting.DeletionTimestamp = new(metav1.Time)
	for name, test := range map[string]struct {
		given  operator.Snapshot[*corev1.Secret]
		expect string
	}{
		"stored":          {operator.NewSnapshot(authSecret("1", "word")), "word"},
		"missing":         {operator.NewSnapshot[*corev1.Secret](), ""},
		"the zero value":  {operator.Snapshot[*corev1.Secret]{}, ""},
		"emptied":         {operator.NewSnapshot(authSecret("1", "")), ""},
		"without the key": {operator.NewSnapshot(&corev1.Secret{ObjectMeta: called("auth")}), ""},
		"being deleted":   {operator.NewSnapshot(deleting), ""},
	} {
		t.Run(name, func(t *testing.T) {
			password, ok := test.given.Generated("auth", "password")
			if password.Value != test.expect || ok != (test.expect != "") || ok == (password.Revision == "") {
				t.Errorf("it is %+v, %v", password, ok)
			}
		})
	}
	if _, ok := operator.NewSnapshot(configMap("auth", "word")).Generated("auth", "key"); ok {
		t.Error("a ConfigMap has a generated value")
	}
}

func TestRevisionOfAGeneratedValue(t *testing.T) {
	revision := func(secret *corev1.Secret, key string) string {
		value, _ := operator.NewSnapshot(secret).Generated("auth", key)
		return value.Revision
	}
	first := revision(authSecret("1", "word"), "password")
	if other := revision(authSecret("1", "theirs"), "password"); other != first {
		t.Error("the revision depends on the value, which it must not tell anything about")
	}
	for name, other := range map[string]string{
		"of another Secret": revision(authSecret("2", "word"), "password"), "of another key": revision(authSecret("1", "word"), "other"),
	} {
		if other == first {
			t.Errorf("the revision %s is the same", name)
		}
	}
}
