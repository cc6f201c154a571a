package kubebuilder

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// mainOf returns a main with statements before and after the one that makes the manager.
func mainOf(before, after string) fstest.MapFS {
	return fstest.MapFS{"cmd/main.go": {Data: []byte(`package main

import (
	"flag"
	"os"
	"context"

	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"

	gardenv1 "example.com/orchard/api/v1"
	"example.com/orchard/internal/controller"
)

var (
	scheme   = runtime.NewScheme()
	setupLog = ctrl.Log.WithName("setup")
)

func init() {
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(gardenv1.AddToScheme(scheme))
}

func helper(ctrl.Manager) error { return nil }

func main() {
	` + before + `
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{Scheme: scheme, LeaderElection: true})
	if err != nil {
		setupLog.Error(err, "no manager")
		os.Exit(1)
	}
	` + after + `
	if err := mgr.AddHealthzCheck("healthz", healthz.Ping); err != nil {
		os.Exit(1)
	}
	setupLog.Info("starts")
	if err := mgr.Start(ctrl.SetupSignalHandler()); err != nil {
		os.Exit(1)
	}
}
`)}}
}

// checkCompiles reports imports and variables that setup.go does not use, which the compiler would.
func checkCompiles(t *testing.T, content []byte) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "setup.go", content, 0)
	if err != nil {
		t.Fatalf("%v\n%s", err, content)
	}
	imports := map[string]bool{"mgr": true}
	for _, i := range file.Imports {
		imports[importName(i)] = true
	}
	config := types.Config{Error: func(err error) {
		if text := err.Error(); strings.Contains(text, "declared and not used") || strings.Contains(text, "undefined: ") || strings.Contains(text, "redeclared") {
			t.Errorf("%v\n%s", err, content)
		}
	}, Importer: nil}
	_, _ = config.Check("main", files, []*ast.File{file}, nil) // packages are not imported
	used := map[string]bool{"_": true}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			used[rootName(selector)] = true
		}
		return true
	})
	for name := range imports {
		if !used[name] && name != "mgr" {
			t.Errorf("%s is imported and not used\n%s", name, content)
		}
	}
}

func TestStatementsAreCarriedOver(t *testing.T) {
	for _, test := range []struct{ name, before, after, want string }{
		{"a controller", "", `if err = (&controller.TreeReconciler{Client: mgr.GetClient(), Scheme: scheme}).SetupWithManager(mgr); err != nil {
		setupLog.Error(err, "unable to create controller", "controller", "Tree")
		os.Exit(1)
	}`, `var err error
	if err = (&controller.TreeReconciler{Client: mgr.GetClient(), Scheme: mgr.GetScheme()}).SetupWithManager(mgr); err != nil {
		return fmt.Errorf("controller Tree: %w", err)
	}`},
		{"a condition, and an exit without an error", "", `if os.Getenv("TREES") == "" {
		setupLog.Error(nil, "Set TREES")
		os.Exit(1)
	} else if err := controller.Setup(mgr); err != nil {
		panic(err)
	}`, `if os.Getenv("TREES") == "" {
		return errors.New("set TREES")
	} else if err := controller.Setup(mgr); err != nil {
		panic(err)
	}`},
		{"variables", `ctx := ctrl.SetupSignalHandler()
	town, townErr := controller.Town(os.Getenv("TOWN"))
	if townErr != nil {
		os.Exit(1)
	}`, `r := &controller.TreeReconciler{Town: town}
	if err := r.SetupWithManager(ctx, mgr); err != nil {
		log.Fatalf("trees: %v", err)
	}`, `ctx := context.Background()
	town, townErr := controller.Town(os.Getenv("TOWN"))
	if townErr != nil {
		return townErr
	}
	r := &controller.TreeReconciler{Town: town}
	if err := r.SetupWithManager(ctx, mgr); err != nil {
		return fmt.Errorf("trees: %w", err)
	}`},
		{"a value of the package", "", `if err := controller.Setup(mgr, setupLog); err != nil {
		os.Exit(1)
	}`, `if err := controller.Setup(mgr, setupLog); err != nil {
		return err
	}`},
		{"a function, whose returns are its own", "", `if err := mgr.Add(controller.Func(func(ctx context.Context) error { return ctx.Err() })); err != nil {
		os.Exit(1)
	}`, `if err := mgr.Add(controller.Func(func(ctx context.Context) error { return ctx.Err() })); err != nil {
		return err
	}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			setup, err := ReadSetup(mainOf(test.before, test.after))
			if err != nil || len(setup.Left) > 0 || setup.From != "cmd/main.go" {
				t.Fatalf("%v, %v", err, setup)
			}
			checkCompiles(t, setup.Content)
			_, body, _ := strings.Cut(string(setup.Content), "\t); err != nil {\n\t\treturn err\n\t}\n\t")
			body, _, _ = strings.Cut(body, "\n\treturn nil\n")
			if diff := cmp.Diff(test.want, body); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStatementsThatAreLeft(t *testing.T) {
	for _, test := range []struct{ name, before, after, want string }{
		{"a flag", "var town string\n\tflag.StringVar(&town, \"town\", \"\", \"\")\n", "if err := controller.Setup(mgr, town); err != nil {\n\t\tos.Exit(1)\n\t}",
			"it uses town, a variable of cmd/main.go that flags or other statements set"},
		{"a flag that is assigned", "town := \"\"\n\tflag.StringVar(&town, \"town\", \"\", \"\")\n", "if err := controller.Setup(mgr, town); err != nil {\n\t\tos.Exit(1)\n\t}",
			"it uses town, a variable of cmd/main.go that flags or other statements set"},
		{"a function of main", "", "if err := helper(mgr); err != nil {\n\t\tos.Exit(1)\n\t}",
			"it uses helper of cmd/main.go, and no package can import a main: move helper to a package of its own"},
		{"a flag for what is made before", "town := flag.String(\"town\", \"\", \"\")\n\tif *town == \"\" {\n\t\ttown = nil\n\t}", "r := controller.New(mgr)\n\tif err := r.Setup(mgr, town); err != nil {\n\t\tos.Exit(1)\n\t}",
			"it uses town, a variable of cmd/main.go that flags or other statements set"},
		{"a defer", "", "defer controller.Close(mgr)", "it would run when setup ends, not when the process does"},
		{"an exit", "", "if controller.Old(mgr) {\n\t\treturn\n\t}", "it ends the process without an error"},
		{"a variable that depends on a flag", "town := flag.String(\"town\", \"\", \"\")\n\tif *town == \"\" {\n\t\ttown = nil\n\t}\n\tr := controller.New(town)\n",
			"if err := r.SetupWithManager(mgr); err != nil {\n\t\tos.Exit(1)\n\t}", "it uses town, a variable of cmd/main.go that flags or other statements set"},
	} {
		t.Run(test.name, func(t *testing.T) {
			setup, err := ReadSetup(mainOf(test.before, test.after))
			if err != nil || len(setup.Left) != 1 {
				t.Fatalf("%v, %v", err, setup.Left)
			}
			if !strings.Contains(setup.Left[0].Message, test.want) || setup.Left[0].Pos.Line < 30 {
				t.Errorf("%v\nwant: %s", setup.Left[0], test.want)
			}
			if !strings.Contains(string(setup.Content), "return errors.New(\"write by hand what "+setup.Left[0].Pos.String()+" does") {
				t.Errorf("setup does not fail:\n%s", setup.Content)
			}
			checkCompiles(t, setup.Content)
		})
	}
}

func TestWhatElseIsLeft(t *testing.T) {
	tree := mainOf("", "")
	source := string(tree["cmd/main.go"].Data)
	source = strings.Replace(source, "LeaderElection: true", "Cache: cache.Options{}, Scheme: scheme", 1)
	source = strings.Replace(source, "utilruntime.Must(gardenv1", "addKinds(scheme)\n\tutilruntime.Must(gardenv1", 1)
	tree["cmd/main.go"].Data = []byte(source)
	setup, err := ReadSetup(tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range setup.Left {
		got = append(got, p.Message)
	}
	want := []string{"addKinds(scheme) is not carried over: it is no function of another package", "the option Cache of the manager is not carried over"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	setup, err = ReadSetup(fstest.MapFS{"cmd/main.go": {Data: []byte("package main\n\nfunc main() { app.Run() }\n")}})
	if err != nil || len(setup.Left) != 1 || setup.From != "" || !strings.Contains(string(setup.Content), "return errors.New(") {
		t.Errorf("a main without a manager: %v, %+v\n%s", err, setup.Left, setup.Content)
	}
}

func TestMainOfAnotherFolderThatReturnsErrors(t *testing.T) {
	source := `package main

import (
	"fmt"

	"example.com/orchard/internal/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

func main() {}

func run() error {
	m, err := manager.New(nil, manager.Options{})
	if err != nil {
		return err
	}
	if err := controller.Setup(m); err != nil {
		return fmt.Errorf("trees: %w", err)
	}
	return m.Start(nil)
}
`
	setup, err := ReadSetup(fstest.MapFS{"cmd/manager/main.go": {Data: []byte(source)}, "cmd/tool/main.go": {Data: []byte("package main\n")}})
	if err != nil || len(setup.Left) > 0 || setup.From != "cmd/manager/main.go" {
		t.Fatalf("%v, %+v", err, setup)
	}
	want := "func setup(m operator.Manager) error {\n\tif err := controller.Setup(m); err != nil {\n\t\treturn fmt.Errorf(\"trees: %w\", err)\n\t}\n\treturn nil\n}\n"
	if !strings.HasSuffix(string(setup.Content), want) {
		t.Errorf("%s", setup.Content)
	}
}

// A project whose main is not found gets a function that compiles, and that says what to do.
func TestSetupWithoutAMain(t *testing.T) {
	setup, err := ReadSetup(fstest.MapFS{})
	if err != nil || len(setup.Left) != 1 {
		t.Fatal(setup, err)
	}
	if source := string(setup.Content); strings.Contains(source, "errors.") != strings.Contains(source, "\"errors\"") {
		t.Errorf("errors is used without an import:\n%s", source)
	}
}
