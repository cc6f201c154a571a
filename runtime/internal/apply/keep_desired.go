package apply

import (
	"fmt"
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/managedfields"
)

// A child can keep its desired state in the annotation DesiredKey, so that Sync can read what it desired
// and change that. The observed object does not say it: it has the defaults of the API server, and where
// somebody else has changed a field, the desired value is in it no more.
//
// The annotation is a part of the desired state: it is written with the rest and when the rest is, and is
// compared and repaired as the rest. The hash does not cover it, so that no child is outdated because of it.
//
// The applied state has the text, too, so that it is known when somebody edits the annotation. After a
// restart the annotation counts unless managedFields say that somebody else wrote it.

// maxDesiredText is how many bytes the annotation may have. All annotations of an object together can have
// four times as many.
const maxDesiredText = 64 << 10

// addDesiredText adds a desired state, which has its identity and no ownership yet, to its own annotations.
// It returns an error if it is too large.
func (d Desired) addDesiredText(content map[string]any) (err error) {
	if d.DesiredKey == "" {
		return nil
	}
	var text string
	metadata := maps.Clone(content["metadata"].(map[string]any))
	if err = encodeJSON(removeIdentity(maps.Clone(content), metadata), func(encoded []byte) { text = string(encoded) }); err != nil {
		return err
	}
	if len(text) > maxDesiredText {
		return fmt.Errorf("its desired state is larger than %d KiB, and keepDesired keeps no more", maxDesiredText>>10)
	}
	ensureObject(ensureObject(content, "metadata"), "annotations")[d.DesiredKey] = text
	return nil
}

// desiredText returns the text that a desired state keeps in its annotations.
func (d Desired) desiredText(content map[string]any) string {
	if d.DesiredKey == "" {
		return ""
	}
	text, _ := valueAt(content, []string{"metadata", "annotations", d.DesiredKey}).(string)
	return text
}

// lacksDesiredText reports whether a live object lacks the annotation, as one that was written before its
// kind kept the desired state.
func (d Desired) lacksDesiredText(live client.Object) bool {
	_, exists := live.GetAnnotations()[d.DesiredKey]
	return d.DesiredKey != "" && !exists
}

// sharedText returns a text, in the memory of another one if they are equal.
func sharedText(text, other string) string {
	if text == other {
		return other
	}
	return text
}

// DesiredText returns the desired state with which a child was last written, as JSON without its identity.
// desiredKey is the annotation of the child that keeps it. It returns "" if that is not known.
func (m *AppliedState) DesiredText(key Key, live client.Object, desiredKey, manager string) string {
	if desiredKey == "" {
		return ""
	}
	if last := m.childWithUID(key, live); last != nil && last.desired != "" {
		return last.desired
	}
	if !managedfields.MayHaveAnnotated(live, manager, desiredKey) {
		return ""
	}
	return live.GetAnnotations()[desiredKey]
}
