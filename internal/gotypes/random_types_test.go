package gotypes_test

import (
	"fmt"
	"regexp"
	"strings"

	"pgregory.net/rapid"
)

// typeWriter draws random types of an author and writes their Go source.
type typeWriter struct {
	t        *rapid.T
	declared strings.Builder
	count    int
}

// randomTypes draws the source of a package with the type ThingSpec.
func randomTypes(t *rapid.T) string {
	w := &typeWriter{t: t}
	w.writeStruct("ThingSpec", 0)
	source := w.declared.String()
	imports := ""
	paths := map[string]string{
		"metav1": "k8s.io/apimachinery/pkg/apis/meta/v1", "resource": "k8s.io/apimachinery/pkg/api/resource", "time": "time",
		"intstr": "k8s.io/apimachinery/pkg/util/intstr", "runtime": "k8s.io/apimachinery/pkg/runtime", "corev1": "k8s.io/api/core/v1",
		"apiextensionsv1": "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
	}
	for _, name := range sortedKeys(paths) {
		if regexp.MustCompile(`\b` + name + `\.`).MatchString(source) {
			imports += fmt.Sprintf("import %s %q\n", name, paths[name])
		}
	}
	return imports + source
}

// pick draws one of some texts.
func (w *typeWriter) pick(of ...string) string {
	return rapid.SampledFrom(of).Draw(w.t, "pick")
}

func (w *typeWriter) chance(in int) bool { return rapid.IntRange(1, in).Draw(w.t, "chance") == 1 }

func (w *typeWriter) newName(prefix string) string {
	w.count++
	return fmt.Sprintf("%s%d", prefix, w.count)
}

func (w *typeWriter) declare(format string, args ...any) {
	fmt.Fprintf(&w.declared, format, args...)
}

// writeStruct declares a struct. Its fields share a few JSON names with those of structs that it
// embeds, so that they hide each other.
func (w *typeWriter) writeStruct(name string, depth int) {
	var body strings.Builder
	for i := range rapid.IntRange(1, 5).Draw(w.t, "fields") {
		jsonName := fmt.Sprintf("%s%d", w.pick("a", "b", "c", "d", "e", "f"), i)
		options := w.pick("", "", ",omitempty", ",omitempty", ",omitzero")
		if depth < 3 && w.chance(5) {
			embedded := w.newName("E")
			w.writeStruct(embedded, depth+1)
			fmt.Fprintf(&body, "\t%s%s 'json:\"%s\"'\n", w.pick("", "*"), embedded, w.pick(",inline", "", ",omitempty", jsonName))
			continue
		}
		t := w.valueType(depth)
		if t == "Opaque" || strings.HasPrefix(t, "*") || strings.ContainsAny(t[:1], "[m") || isNullable(t) {
			options = ",omitempty" // an empty value would be written as null
			if w.chance(3) {
				options = ",omitzero"
			}
		}
		for _, marker := range w.markersFor(t) {
			body.WriteString("\t// +" + marker + "\n")
		}
		tag := jsonName + options
		if w.chance(15) {
			tag = "-"
		}
		fmt.Fprintf(&body, "\tF%d%s %s 'json:\"%s\"'\n", i, strings.ToUpper(jsonName), t, tag)
	}
	w.declare("\ntype %s struct {\n%s}\n", name, body.String())
}

// isNullable reports whether the empty value of a type is null in JSON.
func isNullable(t string) bool {
	switch t {
	case "metav1.Time", "metav1.MicroTime", "runtime.RawExtension", "apiextensionsv1.JSON":
		return true
	}
	return strings.HasPrefix(t, "L") || strings.HasPrefix(t, "P") || strings.HasPrefix(t, "core") && strings.HasSuffix(t, "List")
}

var scalars = []string{
	"bool", "string", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "byte", "rune",
}

// foreign are types of other modules. Within types of Kubernetes, such as corev1.ResourceList, schemas are
// those of every CRD, which accept more.
var foreign = []string{
	"metav1.Time", "metav1.Duration", "metav1.MicroTime", "resource.Quantity", "intstr.IntOrString", "runtime.RawExtension", "apiextensionsv1.JSON",
	"time.Duration", "corev1.PullPolicy", "corev1.SecretReference", "corev1.LocalObjectReference", "metav1.LabelSelector",
}

// valueType draws a type, and declares what it needs.
func (w *typeWriter) valueType(depth int) string {
	if depth > 3 {
		return w.pick(scalars...)
	}
	switch rapid.IntRange(0, 13).Draw(w.t, "form") {
	case 0, 1, 2, 3:
		return w.pick(scalars...)
	case 4, 5:
		return w.pick(foreign...)
	case 6:
		return "*" + w.valueType(depth+1)
	case 7:
		return "[]" + w.valueType(depth+1)
	case 8:
		return "map[" + w.pick("string", w.namedText()) + "]" + w.valueType(depth+1)
	case 9:
		name := w.newName("S")
		w.writeStruct(name, depth+1)
		return name
	case 10:
		name := w.newName("N")
		w.declare("\ntype %s %s%s\n", name, w.pick("", "= "), w.pick(scalars...))
		return name
	case 11:
		name := w.newName("L")
		w.declare("\ntype %s %s%s%s\n", name, w.pick("", "= "), w.pick("[]", "map[string]"), w.valueType(depth+1))
		return name
	case 12:
		return w.pick("[]byte", w.enum(), w.recursive())
	default:
		return w.opaque()
	}
}

func (w *typeWriter) namedText() string {
	name := w.newName("K")
	w.declare("\ntype %s string\n", name)
	return name
}

func (w *typeWriter) enum() string {
	name := w.newName("M")
	w.declare("\n// +k8s:enum\ntype %[1]s string\n\nconst (\n\t%[1]sA %[1]s = \"A\"\n\t%[1]sB %[1]s = \"b\"\n)\n", name)
	return name
}

func (w *typeWriter) recursive() string {
	name := w.newName("R")
	w.declare("\ntype %[1]s struct {\n\tName string 'json:\"name\"'\n\t// +kubebuilder:validation:Schemaless\n\t// +kubebuilder:pruning:PreserveUnknownFields\n\tBelow []%[1]s 'json:\"below,omitempty\"'\n}\n", name)
	return name
}

// opaque declares a type that writes its JSON itself, and says what.
func (w *typeWriter) opaque() string {
	name := w.newName("O")
	w.declare("\n// +kubebuilder:validation:Type=string\ntype %[1]s struct{ Text string 'json:\"-\"' }\n\nfunc (o %[1]s) MarshalJSON() ([]byte, error) { return []byte(\"\\\"\" + o.Text + \"\\\"\"), nil }\n\nfunc (o *%[1]s) UnmarshalJSON(text []byte) error { o.Text = string(text[1 : len(text)-1]); return nil }\n", name)
	return name
}

// markersFor draws markers that fit a type, some of them wider than what it holds.
func (w *typeWriter) markersFor(t string) []string {
	if !w.chance(3) {
		return nil
	}
	switch {
	case t == "string":
		return []string{w.pick("kubebuilder:validation:MaxLength=9", "kubebuilder:default=x", "kubebuilder:validation:Enum=a;b")}
	case strings.Contains(t, "int") && !strings.ContainsAny(t, ".[*"):
		return []string{w.pick("kubebuilder:validation:Maximum=100000", "kubebuilder:validation:Minimum=-300", "kubebuilder:default=1", "kubebuilder:validation:Maximum=7")}
	case strings.HasPrefix(t, "[]") && t != "[]byte":
		return []string{"kubebuilder:validation:MaxItems=3"}
	}
	return nil
}
