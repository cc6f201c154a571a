package gotypes_test

// shapes are types, with ' in the place of the quotes of tags, and what is said of them; nothing
// where says is empty, and then these types are copied.
var shapes = []struct {
	name, source, says string
	copies             []string
}{
	{"unexported without a tag", "type ThingSpec struct {\n\tA int32 'json:\"a\"'\n\thidden *int\n}\n", "", nil},
	{"unexported with a tag", "type ThingSpec struct {\n\tA int32 'json:\"a\"'\n\thidden *int 'json:\"hidden\"'\n}\n", "api/v1/spec.go:5:2: the field hidden has a JSON name and is not exported, so that JSON passes it over\n    export it, take off the tag, or write ignoreUnexportedFields: true in opgen.yaml", nil},
	{"exported without a tag", "type ThingSpec struct {\n\tA int32\n}\n", "api/v1/spec.go:4:2: the field A has no JSON name\n    add a tag such as `json:\"a,omitempty\"`, or `json:\"-\"`", nil},
	{"text in fields without tags", "type ThingSpec struct {\n\tA ID 'json:\"a\"'\n}\n\ntype ID struct {\n\tDomain, Number uint32\n}\n\nfunc (i ID) MarshalText() ([]byte, error) { return nil, nil }\n\nfunc (i *ID) UnmarshalText([]byte) error { return nil }\n", "", nil},
	{"JSON of its own with a marker, in fields without tags", "type ThingSpec struct {\n\tA ID 'json:\"a\"'\n}\n\n// +kubebuilder:validation:Type=string\ntype ID struct {\n\tDomain, Number uint32\n}\n\nfunc (i *ID) MarshalJSON() ([]byte, error) { return nil, nil }\n\nfunc (i *ID) UnmarshalJSON([]byte) error { return nil }\n", "", nil},
	{"helper with a function", "type ThingSpec struct {\n\tA int32 'json:\"a\"'\n}\n\ntype Helper struct {\n\tF func()\n\tC chan int\n}\n", "", nil},
	{"helper with raw JSON", "import \"encoding/json\"\n\ntype ThingSpec struct {\n\tA int32 'json:\"a\"'\n}\n\ntype Helper struct {\n\tRaw json.RawMessage\n\tAny map[string]any\n\tErrs map[string]error\n}\n", "", nil},
	{"helper with raw JSON alone", "import (\n\t\"encoding/json\"\n\n\t\"k8s.io/apimachinery/pkg/api/resource\"\n)\n\ntype ThingSpec struct {\n\tA int32 'json:\"a\"'\n}\n\ntype Helper struct {\n\tRaw json.RawMessage\n\tQ resource.Quantity\n}\n", "", []string{"Helper", "ThingSpec"}},
	{"map of any without JSON", "type ThingSpec struct {\n\tA int32 'json:\"a\"'\n\tM map[string]any 'json:\"-\"'\n}\n", "api/v1/spec.go:5:2: generated code cannot copy any\n    leave it out, or give ThingSpec a method DeepCopyInto", nil},
	{"list of any without JSON", "type ThingSpec struct {\n\tA int32 'json:\"a\"'\n\tM []any 'json:\"-\"'\n}\n", "api/v1/spec.go:5:2: generated code cannot copy any\n    leave it out, or give ThingSpec a method DeepCopyInto", nil},
	{"map of errors without JSON", "type ThingSpec struct {\n\tA int32 'json:\"a\"'\n\tM map[string]error 'json:\"-\"'\n}\n", "api/v1/spec.go:5:2: generated code cannot copy error\n    leave it out, or give ThingSpec a method DeepCopyInto", nil},
	{"raw JSON", "import \"encoding/json\"\n\ntype ThingSpec struct {\n\tA json.RawMessage 'json:\"a\"'\n}\n", "api/v1/spec.go:6:2: json.RawMessage has no schema\n    use runtime.RawExtension or apiextensions' JSON, which hold anything", nil},
	{"array", "type ThingSpec struct {\n\tA [3]int32 'json:\"a\"'\n}\n", "api/v1/spec.go:4:2: [3]int32 has a fixed length, and no deepcopy code\n    write []int32, and its length as +kubebuilder:validation:MinItems and MaxItems", nil},
	{"interface", "import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype ThingSpec struct {\n\tA metav1.Object 'json:\"a\"'\n}\n", "api/v1/spec.go:6:2: metav1.Object is an interface, which has no schema\n    use runtime.RawExtension or apiextensions' JSON, which hold anything", nil},
	{"any", "type ThingSpec struct {\n\tA any 'json:\"a\"'\n}\n", "api/v1/spec.go:4:2: any is an interface, which has no schema\n    use runtime.RawExtension or apiextensions' JSON, which hold anything", nil},
	{"recursive", "type ThingSpec struct {\n\tA []Node 'json:\"a\"'\n}\n\ntype Node struct {\n\tNext *Node 'json:\"next\"'\n}\n", "api/v1/spec.go:8:2: Node is recursive, and a CRD cannot have a recursive schema\n    end the schema here: // +kubebuilder:validation:Schemaless and // +kubebuilder:pruning:PreserveUnknownFields above the field, or use runtime.RawExtension", nil},
	{"recursive list", "type ThingSpec struct {\n\tA Nodes 'json:\"a\"'\n}\n\ntype Nodes []Nodes\n", "api/v1/spec.go:7:6: Nodes is recursive, and a CRD cannot have a recursive schema\n    end the schema here: // +kubebuilder:validation:Schemaless and // +kubebuilder:pruning:PreserveUnknownFields above the field, or use runtime.RawExtension", nil},
	{"time", "import \"time\"\n\ntype ThingSpec struct {\n\tA time.Time 'json:\"a\"'\n}\n", "api/v1/spec.go:6:2: time.Time has no method DeepCopyInto, which copies of ThingSpec need\n    use metav1.Time, or give the type a method DeepCopyInto", nil},
	{"pointer to time", "import \"time\"\n\ntype ThingSpec struct {\n\tA *time.Time 'json:\"a\"'\n}\n", "api/v1/spec.go:6:2: time.Time has no method DeepCopyInto, which copies of ThingSpec need\n    use metav1.Time, or give the type a method DeepCopyInto", nil},
	{"list of times", "import \"time\"\n\ntype ThingSpec struct {\n\tA []time.Time 'json:\"a\"'\n}\n", "api/v1/spec.go:6:2: time.Time has no method DeepCopyInto, which copies of ThingSpec need\n    use metav1.Time, or give the type a method DeepCopyInto", nil},
	{"duration", "import \"time\"\n\ntype ThingSpec struct {\n\tA time.Duration 'json:\"a\"'\n}\n", "", nil},
	{"type of time", "import \"time\"\n\ntype ThingSpec struct {\n\tA Stamp 'json:\"a\"'\n}\n\ntype Stamp time.Time\n", "api/v1/spec.go:9:6: Stamp has hidden fields of package time, which it alone can copy\n    use metav1.Time, or give the type a method DeepCopyInto", nil},
	{"URL", "import \"net/url\"\n\ntype ThingSpec struct {\n\tA url.URL 'json:\"a\"'\n}\n", "api/v1/spec.go:6:2: url.URL has no method DeepCopyInto, which copies of ThingSpec need\n    use another type, or give the type a method DeepCopyInto", nil},
	{"unexported type", "type ThingSpec struct {\n\tA part 'json:\"a\"'\n}\n\ntype part struct {\n\tB []string 'json:\"b\"'\n}\n", "api/v1/spec.go:4:2: part is not exported, and gets no deepcopy code, which copies of ThingSpec need\n    export it, or give it a method DeepCopyInto", nil},
	{"struct without a name", "type ThingSpec struct {\n\tA struct {\n\t\tB []string 'json:\"b\"'\n\t} 'json:\"a\"'\n}\n", "api/v1/spec.go:4:2: a struct without a name has no schema\n    declare a type for it, and use its name", nil},
	{"named texts, lists and maps", "type ThingSpec struct {\n\tA Mode 'json:\"a\"'\n\tB Modes 'json:\"b\"'\n\tC map[Mode]Modes 'json:\"c\"'\n\tD *Deep 'json:\"d\"'\n}\n\ntype Mode string\n\ntype Modes []Mode\n\ntype Deep map[string][]*Leaf\n\ntype Leaf struct {\n\tF Modes 'json:\"f\"'\n\tN *int32 'json:\"n\"'\n}\n", "", []string{"ThingSpec", "Modes", "Deep", "Leaf"}},
	{"misspelt marker", "type ThingSpec struct {\n\t// +kubebuilder:validation:Maximun=3\n\tA int32 'json:\"a\"'\n}\n", "api/v1/spec.go:4:5: +kubebuilder:validation:Maximun: unknown marker\n    did you mean +kubebuilder:validation:Maximum?", nil},
	{"number as text", "type ThingSpec struct {\n\tA int32 'json:\"a,string\"'\n}\n", "api/v1/spec.go:4:2: JSON has the value of A as a string, by the option string of its tag, and the schema says int32\n    leave the option out, or make the field a string", nil},
	{"a name twice", "type ThingSpec struct {\n\tA int32 'json:\"a\"'\n\tB int32 'json:\"a\"'\n}\n", "api/v1/spec.go:5:2: the JSON name a of B is that of A, too, and JSON leaves both out\n    give one of the two another name, or declare a field of that name here, which JSON takes instead", nil},
	{"a name twice by embedding", "type ThingSpec struct {\n\tInner 'json:\",inline\"'\n\tA int32 'json:\"a\"'\n}\n\ntype Inner struct {\n\tA int32 'json:\"a\"'\n}\n", "", nil},
}
