package objectfields

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type measured struct {
	Orders  int32               `json:"orders"`
	Share   *float64            `json:"share,omitempty"`
	Open    bool                `json:"open"`
	Size    resource.Quantity   `json:"size"`
	Max     *resource.Quantity  `json:"max,omitempty"`
	Backup  metav1.Time         `json:"backup"`
	Restore *metav1.Time        `json:"restore,omitempty"`
	Exact   metav1.MicroTime    `json:"exact"`
	Port    intstr.IntOrString  `json:"port"`
	Target  *intstr.IntOrString `json:"target,omitempty"`
	Phase   string              `json:"phase"`
	Flag    uint8               `json:"flag"`
	Parts   []int               `json:"parts"`
	Counts  map[string]int64    `json:"counts"`
}

func TestNumber(t *testing.T) {
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	target := intstr.FromString("50%")
	typed := struct {
		Status measured `json:"status"`
	}{measured{
		Orders: 7, Open: true, Size: resource.MustParse("1500Mi"), Backup: metav1.NewTime(at), Exact: metav1.NewMicroTime(at.Add(time.Millisecond)),
		Port: intstr.FromInt32(80), Target: &target, Phase: "Open", Flag: 3, Parts: []int{1}, Counts: map[string]int64{"a": 5},
	}}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&typed)
	if err != nil {
		t.Fatal(err)
	}
	for path, test := range map[string]struct {
		want float64
		isIn bool
	}{
		".status.orders":   {7, true},
		".status.open":     {1, true},
		".status.size":     {1500 << 20, true},
		".status.backup":   {float64(at.Unix()), true},
		".status.exact":    {float64(at.Unix()) + 0.001, true},
		".status.port":     {80, true},
		".status.flag":     {3, true},
		".status.counts.a": {5, true},
		".status.share":    {},
		".status.max":      {},
		".status.restore":  {},
		".status.target":   {},
		".status.phase":    {},
		".status.parts":    {},
		".status.counts.b": {},
		".status.counts":   {},
		".status.other":    {},
		".other":           {},
	} {
		for name, object := range map[string]any{"struct": typed, "map": &unstructured.Unstructured{Object: content}} {
			got, ok := Number(object, path)
			if ok != test.isIn || ok && got != test.want {
				t.Errorf("%s in a %s is %v, %t, want %v, %t", path, name, got, ok, test.want, test.isIn)
			}
		}
	}
	if _, ok := Number(measured{}, ".backup"); ok {
		t.Error("the zero time is a number")
	}
}

// omitting has fields that its JSON leaves out while they are zero.
type omitting struct {
	Written int32             `json:"written"`
	Empty   int32             `json:"empty,omitempty"`
	Zero    int64             `json:"zero,omitzero"`
	Shown   bool              `json:"shown,omitempty"`
	Size    resource.Quantity `json:"size,omitempty"`
	Least   resource.Quantity `json:"least,omitzero"`
	Pointer *int32            `json:"pointer,omitempty"`
	Inner   struct {
		Count int32 `json:"count"`
	} `json:"inner,omitzero"`
}

// What the JSON of an object lacks is not set, as for an object without a Go type.
func TestNumberOfWhatTheJSONLeavesOut(t *testing.T) {
	none := omitting{}
	set := omitting{Empty: 1, Zero: 2, Shown: true, Size: resource.MustParse("1"), Least: resource.MustParse("2"), Pointer: new(int32)}
	set.Inner.Count = 3
	for path, want := range map[string]struct {
		isUnset bool // in an empty object
		isSet   float64
	}{
		".written":     {false, 0},
		".empty":       {true, 1},
		".zero":        {true, 2},
		".shown":       {true, 1},
		".size":        {false, 1}, // JSON writes an empty struct
		".least":       {true, 2},
		".pointer":     {true, 0},
		".inner.count": {true, 3},
	} {
		got, ok := Number(none, path)
		if ok == want.isUnset || got != 0 {
			t.Errorf("%s in an empty object is %v, %t", path, got, ok)
		}
		data, err := json.Marshal(none)
		content := map[string]any{}
		if err = errors.Join(err, json.Unmarshal(data, &content)); err != nil {
			t.Fatal(err)
		}
		if _, inJSON := Number(content, path); inJSON != ok {
			t.Errorf("%s in an empty object is there: %t, in its JSON: %t", path, ok, inJSON)
		}
		if got, ok := Number(set, path); !ok || got != want.isSet {
			t.Errorf("%s is %v, %t, want %v", path, got, ok, want.isSet)
		}
	}
}
