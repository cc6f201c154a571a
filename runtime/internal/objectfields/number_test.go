package objectfields

import (
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
