package scaffold

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"

	"github.com/opgen-dev/opgen/internal/clientgen"
	"github.com/opgen-dev/opgen/internal/crdgen"
	"github.com/opgen-dev/opgen/internal/longtest"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/workdir"
)

// hostileKinds are names of kinds that mean something else to Go, its tools, the generated code or
// what it imports.
var hostileKinds = strings.Fields(`
	Aix Android Darwin Dragonfly Freebsd Hurd Illumos Ios Js Linux Nacl Netbsd Openbsd Plan9 Solaris Wasip1 Windows Zos
	Amd64 Amd64p32 Arm Armbe Arm64 Arm64be Loong64 Mips Mipsle Mips64 Ppc Ppc64 Ppc64le Riscv Riscv64 S390 S390x Sparc Sparc64 Wasm
	Test Unix Cgo Doc Main Init Testdata Vendor Internal Builtin Unsafe C Zz Generated
	A B D E F G H I K L M N O P Q S U V W X Y Z
	Break Case Chan Const Continue Default Defer Else Fallthrough For Func Go Goto If Import Interface Map Package Range Return
	Select Struct Switch Type Var
	Any Append Bool Byte Cap Clear Close Comparable Complex Copy Delete Error False Float64 Int Int32 Iota Len Make Max Min New Nil Panic
	Print Real Recover Rune String True Uint Uintptr
	Context Fmt Time Testing Reflect Sync Http Net Json
	Operator Operatortest Cel Client Runtime Schema Scheme Unstructured Metav1 Meta Corev1 Api V1 V1alpha1
	Manager Mgr Made Controller Reconciler Request Response Children Desired Related Selections
	Finalize Observed Parent Definition Object R Req Ctx Want T Cluster Kinds Run Err
	ObjectMeta TypeMeta ListMeta Spec Status List Items Condition GroupVersionKind Localschemebuilder SchemeBuilder
	DeepCopy DeepCopyInto DeepCopyObject Register Known KnownTypes AddKnownTypes In Out Val Key
	Fake Clientset Informer Lister Factory Utils Versioned Typed Externalversions Generic
	GeneratedExpansion Watch Gentype Rest Discovery Cache Labels Apply ApplyConfiguration Managedfields
	Pod Node Secret Configmap Service Duration Quantity Event Scale Group Version Resource AddToScheme
	Equal Hub Convert Webhook Shutdown Start WaitForCacheSync ForResource InformerFor Obj Opts Options Name Data Subresources
	Value Result Create Update Patch Get Tweaklistoptions Resyncperiod Indexer Namespacer Kubernetes Testinginternal Testcore
	`)

// refusedKinds are those of them that no kind with an operator can have.
const refusedKinds = "Main Init Testdata Vendor Internal Break Case Chan Const Continue Default Defer Else Fallthrough For Func Go " +
	"Goto If Import Interface Map Package Range Return Select Struct Switch Type Var Any Append Bool Byte Cap Clear " +
	"Close Comparable Complex Copy Delete Error False Float64 Int Int32 Iota Len Make Max Min New Nil Panic Print " +
	"Real Recover Rune String True Uint Uintptr Typed Resource AddToScheme"

// hostileAPI is the file of a kind with an operator.
func hostileAPI(kind string) []byte {
	return fmt.Appendf(nil, `apiVersion: opgen.dev/v1alpha1
kind: API
group: demo.example.com
names: {kind: %q}
versions:
- name: v1
  spec: {properties: {mode: {type: string, enum: [A, B]}, parts: {items: {properties: {name: string}}}}}
  status: {properties: {phase: string}}
operator:
  children:
  - {apiVersion: v1, kind: Pod}
`, kind)
}

// A kind of any name gives code that compiles, on every platform, or is refused.
func TestKindsOfAnyNameCompile(t *testing.T) {
	longtest.Skip(t, "it type-checks client-go, and the code of 300 kinds")
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	project, problems := spec.ParseProject("opgen.yaml", []byte("apiVersion: opgen.dev/v1alpha1\nkind: Project\nname: op\nmodule: example.com/op\ndomain: example.com\nclients: true\n"))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	in := Input{Project: project, Tool: Tool{Checkout: checkout}}
	var refused []string
	for _, kind := range hostileKinds {
		api, err := hostile(in, kind, hostileAPI(kind))
		if err != nil {
			t.Log(err)
			refused = append(refused, kind)
			file, _, _ := strings.Cut(string(hostileAPI(kind)), "operator:")
			if api, err = hostile(in, kind, []byte(file)); err != nil {
				continue
			}
		}
		in.APIs = append(in.APIs, Parsed(api)...)
	}
	if got := strings.Join(refused, " "); got != refusedKinds {
		t.Errorf("refused: %s\nwant:    %s", got, refusedKinds)
	}
	set, err := Plan(Source{Input: in})
	if err != nil {
		t.Fatal(err)
	}
	dir := workdir.New(t, "project-hostile")
	changes, err := set.Diff(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if err := changes.Apply(dir); err != nil {
		t.Fatal(err)
	}
	compiles(t, dir)
}

// hostile is the API of a file, or why it is refused beside those of the input.
func hostile(in Input, kind string, file []byte) (*spec.API, error) {
	api, problems := crdgen.Parse("api/"+strings.ToLower(kind)+".yaml", file, in.Project.MinKubernetes)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	problems = append(spec.Check(in.Project, append(Summaries(in.APIs), api.Summary()), nil), clientgen.Problems([]*spec.API{api})...)
	return api, problems.Err()
}

// compiles type-checks a project with its tests.
func compiles(t *testing.T, dir string) {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{
		Dir: dir, Env: append(os.Environ(), append(offline, "CGO_ENABLED=0")...), Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range loaded {
		for _, err := range p.Errors {
			t.Error(err)
		}
		for _, file := range p.IgnoredFiles {
			t.Errorf("%s is left out of the build", file)
		}
	}
}
