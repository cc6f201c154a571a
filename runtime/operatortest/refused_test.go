package operatortest_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestRefused(t *testing.T) {
	cluster, _ := run(t, copyOut)
	cluster.Refused(textMap("Not A Name", ""), "metadata.name")
	fixed := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "fixed"}, Data: map[string]string{"a": "b"}, Immutable: new(true)}
	cluster.Create(fixed)
	changed := fixed.DeepCopy()
	changed.Data["a"], changed.ResourceVersion = "c", "1" // what others have changed meanwhile does not count
	cluster.Refused(changed, "field is immutable when `immutable` is set")
	if cluster.Get(fixed); fixed.Data["a"] != "b" {
		t.Errorf("it was changed: %v", fixed.Data)
	}
	if cluster.Get(textMap("Not A Name", "")) {
		t.Error("it was created")
	}
}

// refuseWhatIsAccepted requires refusals that do not come, or say something else.
func refuseWhatIsAccepted(t *testing.T) {
	cluster, _ := run(t, copyOut)
	cluster.Refused(textMap("fine", "one"), "text may only grow")
	cluster.Refused(textMap("Not A Name", ""), "text may only grow")
	if cluster.Get(textMap("fine", "")) {
		t.Error("it was created")
	}
}

func TestRefusedFailsWhereNothingIsRefused(t *testing.T) {
	expectFailure(t, "accepted", `the API server accepts ConfigMap fine, want it refused: "text may only grow"`,
		`the API server refuses ConfigMap Not A Name, want a message with "text may only grow":`, "metadata.name")
}
