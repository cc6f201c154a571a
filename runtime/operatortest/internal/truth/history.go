package truth

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/internal/testcontrol"
)

// history is what the operator's reconciles have desired since the test began, also
// before the operator was started again.
type history struct {
	now func() time.Time

	mu      sync.Mutex
	parents map[types.UID]*parentHistory
}

// parentHistory is what is known of one parent. Several controllers may have it.
type parentHistory struct {
	latest  map[string]testcontrol.Record                   // by controller
	failing map[string]time.Time                            // by controller: since when its reconciles fail
	earlier map[testcontrol.Child]map[string]map[string]any // all that was ever written of a child, by its fields
	kept    map[testcontrol.Child]map[string]string         // the fields that a child keeps, with what was desired of them then
}

// addRecord notes how a reconcile ended.
func (h *history) addRecord(record testcontrol.Record) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known, ok := h.parents[record.UID]
	if !ok {
		known = &parentHistory{map[string]testcontrol.Record{}, map[string]time.Time{}, map[testcontrol.Child]map[string]map[string]any{}, map[testcontrol.Child]map[string]string{}}
		if h.parents == nil {
			h.parents = map[types.UID]*parentHistory{}
		}
		h.parents[record.UID] = known
	}
	controller := record.Loop.Controller
	for i := range record.Desired {
		desired := &record.Desired[i]
		if desired.Kind.GroupKind() == (schema.GroupKind{Kind: "Secret"}) {
			EncodeStringData(desired.Content)
		}
		dropIdentity(desired.Content)
		known.addEarlier(desired.Child, writtenPart(*desired))
		known.addKept(*desired)
	}
	if _, failing := known.failing[controller]; record.Err == nil {
		delete(known.failing, controller)
	} else if !failing {
		known.failing[controller] = h.now()
	}
	if impure := known.latest[controller].Impure; record.Impure == "" {
		record.Impure = impure
	}
	known.latest[controller] = record
}

// addEarlier remembers a desired state, one of those that set the same fields.
func (p *parentHistory) addEarlier(child testcontrol.Child, content map[string]any) {
	data, err := json.Marshal(fieldsOf(content, false))
	if err != nil {
		return // no JSON, which the API server refuses, too
	}
	if p.earlier[child] == nil {
		p.earlier[child] = map[string]map[string]any{}
	}
	p.earlier[child][string(data)] = content
}

// fieldsOf returns what an object sets, without values but for those of lists, which may tell their
// items apart.
func fieldsOf(content any, inList bool) any {
	switch content := content.(type) {
	case map[string]any:
		fields := make(map[string]any, len(content))
		for name, value := range content {
			fields[name] = fieldsOf(value, inList)
		}
		return fields
	case []any:
		items := make([]any, len(content))
		for i, item := range content {
			items[i] = fieldsOf(item, true)
		}
		return items
	}
	if inList {
		return content
	}
	return true
}

// EncodeStringData turns a Secret's write-only stringData into the data that the API
// server makes of it.
func EncodeStringData(content map[string]any) {
	plain, ok := content["stringData"].(map[string]any)
	if !ok {
		return
	}
	data, _ := content["data"].(map[string]any)
	data = maps.Clone(data)
	if data == nil {
		data = map[string]any{}
	}
	for key, value := range plain {
		data[key] = base64.StdEncoding.EncodeToString(fmt.Append(nil, value))
	}
	content["data"] = data
	delete(content, "stringData")
}

// dropIdentity leaves the fields that are compared.
func dropIdentity(content map[string]any) {
	delete(content, "apiVersion")
	delete(content, "kind")
	if metadata, ok := content["metadata"].(map[string]any); ok {
		delete(metadata, "name")
		delete(metadata, "namespace")
	}
}

// latestRecords returns what the controllers have last desired for a parent, and since when their
// reconciles fail.
func (h *history) latestRecords(parent types.UID) (latest []testcontrol.Record, failing map[string]time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known, ok := h.parents[parent]
	if !ok {
		return nil, nil
	}
	for _, record := range known.latest {
		latest = append(latest, record)
	}
	return latest, maps.Clone(known.failing)
}

// earlierOf returns all that was ever desired of a child.
func (h *history) earlierOf(parent types.UID, child testcontrol.Child) []map[string]any {
	h.mu.Lock()
	defer h.mu.Unlock()
	if known, ok := h.parents[parent]; ok {
		return slices.Collect(maps.Values(known.earlier[child]))
	}
	return nil
}

// dropParent drops what was desired for a parent that is deleted. That there was a parent stays known.
func (h *history) dropParent(parent types.UID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if known, ok := h.parents[parent]; ok {
		known.latest, known.failing, known.earlier = map[string]testcontrol.Record{}, map[string]time.Time{}, map[testcontrol.Child]map[string]map[string]any{}
		known.kept = map[testcontrol.Child]map[string]string{}
	}
}

// knowsParent reports whether a reconcile was about this parent.
func (h *history) knowsParent(parent types.UID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, ok := h.parents[parent]
	return ok
}
