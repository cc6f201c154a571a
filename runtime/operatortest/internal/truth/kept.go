package truth

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/schemas"
)

// A child that was adopted as it is keeps fields, as long as they are desired as they were at the
// adoption. The operator says which fields these are, and the checker holds that against what was
// desired of each since the operator first said so.

// writtenPart returns the desired content without the fields that a child keeps.
func writtenPart(desired testcontrol.Desired) map[string]any {
	if len(desired.Kept) == 0 {
		return desired.Content
	}
	content := runtime.DeepCopyJSON(desired.Content)
	for _, path := range desired.Kept {
		schemas.Path(path).Remove(content)
	}
	return content
}

// addKept notes what is desired of the fields that a child keeps, and forgets those that it keeps no
// longer.
func (p *parentHistory) addKept(desired testcontrol.Desired) {
	before := p.kept[desired.Child]
	values := map[string]string{}
	for _, path := range desired.Kept {
		value, isKnown := before[path.String()]
		if !isKnown {
			value = valueText(desired.Content, path)
		}
		values[path.String()] = value
	}
	p.kept[desired.Child] = values
}

// findWronglyKept returns the fields that a child keeps although they are desired otherwise than at its
// adoption.
func (h *history) findWronglyKept(record testcontrol.Record, desired testcontrol.Desired, live map[string]any) (found []untruth) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known, ok := h.parents[record.UID]
	if !ok {
		return nil
	}
	for _, path := range desired.Kept {
		if known.kept[desired.Child][path.String()] != valueText(desired.Content, path) {
			at := schemas.Path(path)
			found = append(found, untruth{path: at.String(), desired: at.Value(desired.Content), live: at.Value(live)})
		}
	}
	return found
}

// valueText returns the JSON of the value at a path.
func valueText(content map[string]any, path fieldpath.Path) string {
	value, _ := schemas.Path(path).Get(content)
	text, _ := json.Marshal(value) // which is from JSON
	return string(text)
}
