package ownership

import (
	"strings"
	"testing"
)

func TestClaims(t *testing.T) {
	const uid, other = "c60dcc5c-3db1-4e80-83fb-d0e20fbd986b", "5c8b34d9-2ba1-4b2e-9f6c-7a3f9f0c2a11"
	type texts = map[string]any
	controller := []any{texts{"apiVersion": "v1", "kind": "Service", "name": "web", "uid": uid, "controller": true}}
	for name, test := range map[string]struct {
		metadata texts
		want     string // whose the object is, with the label that says so
	}{
		"by label, of another group":        {texts{"labels": texts{"shop.io/cart": uid}, "annotations": texts{"shop.io/parent": "Cart.shop.io/a/web"}}, "shop.io/cart of Cart.shop.io web"},
		"by label, of a core kind":          {texts{"labels": texts{"pods.shop.io/pods": uid}, "annotations": texts{"pods.shop.io/parent": "Pod/a/web"}}, "pods.shop.io/pods of Pod web"},
		"by label, of a cluster's parent":   {texts{"labels": texts{"shop.io/mall": uid}, "annotations": texts{"shop.io/parent": "Mall.shop.io/web"}}, "shop.io/mall of Mall.shop.io web"},
		"by label, of the same group":       {texts{"labels": texts{"demo.example.com/realm": uid}, "annotations": texts{"demo.example.com/parent": "Realm.demo.example.com/web"}}, "demo.example.com/realm of Realm.demo.example.com web"},
		"by reference":                      {texts{"labels": texts{"shop.io/cart": uid}, "ownerReferences": controller}, "shop.io/cart of"},
		"our own":                           {texts{"labels": texts{keys.Label: uid}, "annotations": texts{keys.Parent: "Site.demo.example.com/a/web"}}, ""},
		"a copied label":                    {texts{"labels": texts{"shop.io/cart": uid}}, ""},
		"a label of a child that is copied": {texts{"labels": texts{"shop.io/cart": other}, "ownerReferences": controller}, ""},
		"no UID":                            {texts{"labels": texts{"shop.io/cart": "blue"}, "annotations": texts{"shop.io/parent": "Cart.shop.io/a/web"}}, ""},
		"nearly a UID":                      {texts{"labels": texts{"shop.io/cart": "c60dcc5c-3db1-4e80-83fb-d0e20fbd986x"}, "annotations": texts{"shop.io/parent": "Cart.shop.io/a/web"}}, ""},
		"a parent of another kind of text":  {texts{"labels": texts{"shop.io/cart": uid}, "annotations": texts{"shop.io/parent": "cart/web"}}, ""},
		"a parent that is a path":           {texts{"labels": texts{"shop.io/cart": uid}, "annotations": texts{"shop.io/parent": "Cart.shop.io/a/b/c"}}, ""},
		"a parent without a name":           {texts{"labels": texts{"shop.io/cart": uid}, "annotations": texts{"shop.io/parent": "Cart.shop.io/"}}, ""},
		"a parent without a kind":           {texts{"labels": texts{"shop.io/cart": uid}, "annotations": texts{"shop.io/parent": "/web"}}, ""},
		"a parent under another group":      {texts{"labels": texts{"shop.io/cart": uid}, "annotations": texts{"mall.io/parent": "Cart.shop.io/a/web"}}, ""},
		"a label without a group":           {texts{"labels": texts{"cart": uid}, "annotations": texts{"cart/parent": "Cart.shop.io/a/web"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, claim := range Claims(childOf(t, test.metadata), keys.Label) {
				got += strings.TrimSpace(claim.Label + " of " + claim.Kind.String() + " " + claim.Name)
			}
			if got != test.want {
				t.Errorf("claims are %q, want %q", got, test.want)
			}
		})
	}
}
