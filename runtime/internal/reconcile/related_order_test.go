package reconcile

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

func TestOrderRelated(t *testing.T) {
	for name, test := range map[string]struct {
		entries []declared.RelatedKind
		expect  []int
		fails   string
	}{
		"as listed":         {entries: []declared.RelatedKind{{}, {As: "A"}, {From: "A"}}, expect: []int{0, 1, 2}},
		"from a later one":  {entries: []declared.RelatedKind{{As: "C", From: "B"}, {As: "B", From: "A"}, {As: "A"}}, expect: []int{2, 1, 0}},
		"two from one":      {entries: []declared.RelatedKind{{From: "A"}, {As: "A"}, {From: "A"}}, expect: []int{1, 2, 0}},
		"from none":         {entries: []declared.RelatedKind{{From: "A"}}, fails: "no entry"},
		"from itself":       {entries: []declared.RelatedKind{{As: "A", From: "A"}}, fails: "without end"},
		"from each other":   {entries: []declared.RelatedKind{{As: "A", From: "B"}, {As: "B", From: "A"}, {}}, fails: "without end"},
		"from such a cycle": {entries: []declared.RelatedKind{{From: "A"}, {As: "A", From: "B"}, {As: "B", From: "A"}}, fails: "without end"},
	} {
		t.Run(name, func(t *testing.T) {
			var kinds []*relatedKind
			for _, entry := range test.entries {
				kinds = append(kinds, &relatedKind{RelatedKind: entry})
			}
			order, err := orderRelated(kinds)
			if test.fails == "" && (err != nil || !slices.Equal(order, test.expect)) || test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
				t.Errorf("%v, %v", order, err)
			}
		})
	}
}

// The paths of an entry, and its namespace, are those of each object of the other entry.
func TestQueriesFromOtherObjects(t *testing.T) {
	r := &subject{loop: &loop{parentKind: kind{namespaced: true}}, parent: &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "mine", Name: "web"}}}
	from := &relatedKind{kind: kind{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("ConfigMap"), namespaced: true}}
	source := func(namespace, secret string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "of-" + namespace, Labels: map[string]string{"a": "b"}}, Data: map[string]string{"secret": secret}}
	}
	for name, test := range map[string]struct {
		entry   declared.RelatedKind
		sources []client.Object
		expect  string
		fails   string
	}{
		"none":              {entry: declared.RelatedKind{NameFrom: ".data.secret"}},
		"two":               {entry: declared.RelatedKind{NameFrom: ".data.secret"}, sources: []client.Object{source("a", "x"), source("b", "y")}, expect: "a/x b/y"},
		"one is not set":    {entry: declared.RelatedKind{NameFrom: ".data.secret"}, sources: []client.Object{source("a", ""), source("b", "y")}, expect: "b/y"},
		"cluster-scoped":    {entry: declared.RelatedKind{NameFrom: ".data.secret"}, sources: []client.Object{source("", "x")}, expect: "mine/x"},
		"stated namespaces": {entry: declared.RelatedKind{NameFrom: ".data.secret", Namespaces: []string{"c"}}, sources: []client.Object{source("a", "x")}, expect: "c/x"},
		"namespaces there":  {entry: declared.RelatedKind{NameFrom: ".metadata.name", NamespacesFrom: ".data.secret"}, sources: []client.Object{source("a", "x")}, expect: "x/of-a"},
		"another type":      {entry: declared.RelatedKind{NameFrom: ".data"}, sources: []client.Object{source("a", "x")}, fails: "in ConfigMap a/of-a, .data is not a string"},
	} {
		t.Run(name, func(t *testing.T) {
			entry := &relatedKind{kind: kind{GroupVersionKind: secretKind, namespaced: true}, RelatedKind: test.entry, from: from}
			queries, err := r.newQueries(entry, nil, test.sources)
			var selected []string
			for _, query := range queries {
				for _, name := range query.Names {
					selected = append(selected, query.Namespaces[0]+"/"+name)
				}
			}
			if test.fails == "" && (err != nil || strings.Join(selected, " ") != test.expect) || test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
				t.Errorf("%v, %v", selected, err)
			}
		})
	}
}
