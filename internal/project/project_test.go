package project

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/opgen-dev/opgen/internal/scaffold"
)

const shop = `
-- opgen.yaml --
apiVersion: opgen.dev/v1alpha1
kind: Project
name: shop
module: example.com/shop
domain: example.com
multigroup: true
-- api/types.yaml --
apiVersion: opgen.dev/v1alpha1
kind: Types
types:
  Money: {properties: {amount: int32}}
-- api/order.yaml --
apiVersion: opgen.dev/v1alpha1
kind: API
group: shop.example.com
names: {kind: Order}
versions:
- name: v1
  spec: {properties: {total: Money}}
operator: {children: [{apiVersion: v1, kind: ConfigMap}]}
-- controllers/labeller.yaml --
apiVersion: opgen.dev/v1alpha1
kind: Controller
name: labeller
parents: [{apiVersion: apps/v1, kind: Deployment}]
operator: {children: [{apiVersion: v1, kind: Secret}]}
`

// orderOf is the API of an Order of another group.
const orderOf = `apiVersion: opgen.dev/v1alpha1
kind: API
group: %GROUP
names: {kind: Order}
versions:
- name: v1
  spec: {properties: {total: Money}}
`

// loadShop loads the shop with more files.
func loadShop(t *testing.T, files string) (*Project, error) {
	t.Helper()
	dir := t.TempDir()
	for _, archive := range []string{shop, files} {
		tree, err := txtar.FS(txtar.Parse([]byte(archive)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range txtar.Parse([]byte(archive)).Files {
			_ = os.Remove(dir + "/" + f.Name)
		}
		if err := os.CopyFS(dir, tree); err != nil {
			t.Fatal(err)
		}
	}
	return Load(dir, os.DirFS(dir), "v0.1.0", Known{})
}

func TestLoad(t *testing.T) {
	p, err := loadShop(t, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.APIs) != 1 || p.APIs[0].File != "api/order.yaml" || len(p.Controllers) != 1 || len(p.SharedTypes) != 1 {
		t.Errorf("loaded %d APIs, %d controllers, %d types", len(p.APIs), len(p.Controllers), len(p.SharedTypes))
	}
}

func TestLoadReportsTheErrorsOfAllFiles(t *testing.T) {
	for _, test := range []struct {
		name, files string
		expected    []string
	}{
		{"several files", `
-- api/order.yaml --
apiVersion: opgen.dev/v1alpha1
kind: API
group: shop.example.com
names: {kind: Order}
versions: [{name: v1, spek: {}}]
-- controllers/labeller.yaml --
apiVersion: opgen.dev/v1alpha1
kind: Controller
name: Labeller
parents: [{apiVersion: apps/v1, kind: Deployment}]
operator: {children: [{apiVersion: v1, kind: Secret}]}
`, []string{"api/order.yaml:5:23: versions[0].spek: unknown key", "controllers/labeller.yaml:3:7: name: "}},
		{"a file with another extension", "-- api/refund.YML --\n", []string{"api/refund.YML: is not read, since the names of spec files end in .yaml"}},
		{"one kind in two files", "-- api/again.yaml --\n" + strings.Replace(orderOf, "%GROUP", "shop.example.com", 1), []string{"Order"}},
		{"no opgen.yaml that can be read", "-- opgen.yaml --\nkind: Project\n", []string{"opgen.yaml:1:1: lacks the key apiVersion", "opgen.yaml:1:1: lacks the key name"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := loadShop(t, test.files)
			if err == nil {
				t.Fatal("there is no error")
			}
			for _, line := range test.expected {
				if !strings.Contains(err.Error(), line) {
					t.Errorf("the error lacks %q:\n%v", line, err)
				}
			}
		})
	}
}

func TestAddAPI(t *testing.T) {
	p, err := loadShop(t, "")
	if err != nil {
		t.Fatal(err)
	}
	fleet := strings.Replace(orderOf, "%GROUP", "fleet.example.com", 1)
	added, err := p.AddAPIs([]SpecFile{{DraftName, []byte(fleet)}})
	if err != nil {
		t.Fatal(err)
	}
	if file := added.APIs[0].File; file != "api/fleet-order.yaml" {
		t.Errorf("the file is %q: another group has api/order.yaml", file)
	}
	if files := added.Input.Extra; len(files) != 1 || files[0].Path != added.APIs[0].File || string(files[0].Content) != fleet {
		t.Errorf("the input has the files %v", files)
	}
	if len(p.APIs) != 1 || len(added.Input.APIs) != 2 {
		t.Errorf("the project has %d APIs, the input %d", len(p.APIs), len(added.Input.APIs))
	}
	_, err = p.AddAPIs([]SpecFile{{"other.yaml", []byte(strings.Replace(orderOf, "%GROUP", "shop.example.com", 1))}})
	var wrong InputError
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "api/order.yaml exists and says something else") {
		t.Errorf("another Order of the group is added: %v", err)
	}
}

func TestAddControllerOfAnotherName(t *testing.T) {
	p, err := loadShop(t, "")
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(p.Dir + "/controllers/labeller.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.AddController(SpecFile{"c.yaml", file}, "painter", func(other string) string { return "run: opgen create controller " + other })
	if expected := `c.yaml:3:7: name: "labeller" is another name than "painter"`; err == nil || !strings.Contains(err.Error(), expected) ||
		!strings.Contains(err.Error(), "run: opgen create controller labeller") {
		t.Errorf("the error is %v", err)
	}
}

func TestRemove(t *testing.T) {
	p, err := loadShop(t, "")
	if err != nil {
		t.Fatal(err)
	}
	in := p.RemoveAPI(p.APIs[0].Summary)
	if len(in.APIs) != 0 || len(in.Controllers) != 1 || !slices.Equal(in.Drop, []string{"api/order.yaml"}) || !slices.Equal(in.LetGo, []string{"Order.shop.example.com"}) {
		t.Errorf("without the API: %+v", in)
	}
	in = p.RemoveController(p.Controllers[0])
	if len(in.APIs) != 1 || len(in.Controllers) != 0 || !slices.Equal(in.Drop, []string{"controllers/labeller.yaml"}) || !slices.Equal(in.LetGo, []string{"controllers/labeller"}) {
		t.Errorf("without the controller: %+v", in)
	}
}

// What the lock lists and no spec file describes any more is known, too.
func TestKnownAPIs(t *testing.T) {
	p, err := loadShop(t, `
-- opgen.lock --
apis:
  Order.shop.example.com: {file: api/order.yaml, plural: orders, scope: Namespaced, storage: v1}
  Refund.shop.example.com: {file: api/refund.yaml, plural: refunds, scope: Namespaced, storage: v1}
`)
	if err != nil {
		t.Fatal(err)
	}
	known, err := p.KnownAPIs()
	if err != nil || len(known) != 2 || known["Order.shop.example.com"].API == nil || known["Refund.shop.example.com"].API != nil {
		t.Errorf("known are %v, %v", known, err)
	}
}

func TestCheck(t *testing.T) {
	p, err := loadShop(t, `
-- go.mod --
module example.com/shop
-- deploy/samples/shop_v1_order.yaml --
apiVersion: shop.example.com/v1
kind: Order
metadata: {name: first}
spec: {total: {amount: many}}
-- deploy/samples/shop_v1_refund.yaml --
apiVersion: shop.example.com/v1
kind: Refund
metadata: {name: first}
-- internal/order/sync.go --
package order
`)
	if err != nil {
		t.Fatal(err)
	}
	source, err := ReadGo(p.Dir, p.Tree, p.Input())
	if err != nil {
		t.Fatal(err)
	}
	set, err := scaffold.Plan(source)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := set.Diff(os.DirFS(p.Dir))
	if err != nil {
		t.Fatal(err)
	}
	findings, err := p.Check(source, changes)
	if err != nil {
		t.Fatal(err)
	}
	for _, expected := range []Finding{
		{"deploy/zz_generated.crd.yaml", "out of date: run opgen generate"},
		{"deploy/samples/shop_v1_order.yaml", "spec.total.amount: must be of type integer, not string"},
		{"deploy/samples/shop_v1_refund.yaml", "shows Refund of shop.example.com, which the project no longer has: remove the file"},
		{"internal/order", "has no function New"},
		{"tools.mod", "is missing"},
	} {
		if !slices.ContainsFunc(findings, func(f Finding) bool { return f.Path == expected.Path && strings.HasPrefix(f.Message, expected.Message) }) {
			t.Errorf("no finding %v in %v", expected, findings)
		}
	}
}
