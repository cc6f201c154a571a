package packaging

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/opgen-dev/opgen/internal/tree"
)

const (
	// maxPackage is how many bytes a Secret and a ConfigMap can hold. Helm keeps each release in one Secret, and the Operator
	// Lifecycle Manager unpacks a bundle into one ConfigMap.
	maxPackage = 1 << 20
	// nearMaxPackage is from where on a package has little room for what the next release and the values of users add.
	nearMaxPackage = maxPackage * 85 / 100
)

// Size is how much a package takes of what a cluster can hold.
type Size struct {
	Bytes   int
	subject string
	advice  []string // what makes it smaller, if it is near the limit
}

// IsNear reports whether a package is so near to the limit that it should become smaller.
func (s Size) IsNear() bool { return s.Bytes > nearMaxPackage }

// Check returns an error if a package is larger than a cluster can hold.
func (s Size) Check() error {
	if s.Bytes <= maxPackage {
		return nil
	}
	return errors.New(s.String())
}

// String says how large the package is, and what to do about it.
func (s Size) String() string {
	text := fmt.Sprintf("%s has %s of the %s that are possible", s.subject, kibibytes(s.Bytes), kibibytes(maxPackage))
	return strings.Join(append([]string{text}, s.advice...), "\n    ")
}

func kibibytes(bytes int) string { return fmt.Sprintf("%d KiB", (bytes+1<<10-1)>>10) }

// ChartSize returns the size of a release of a chart with its default values in the Secret in which Helm keeps it: the
// templates and the manifest, as JSON, compressed and in base64.
func ChartSize(o *Operator, chart []tree.File) (Size, error) {
	size, err := releaseSize(chart, nil)
	s := Size{Bytes: size, subject: "a release of the chart, which Helm keeps in one Secret with all templates and objects,"}
	if err != nil || !s.IsNear() {
		return s, err
	}
	sizeWith := func(change func(crd *Object) *Object) int {
		var files []tree.File
		if files, err = Chart(o.withCRDs(change)); err == nil {
			size, err = releaseSize(files, nil)
		}
		return size
	}
	if size := sizeWith(withoutDescriptions); err == nil && size <= nearMaxPackage {
		s.advise("write maxDescLen: 0 in opgen.yaml, which leaves the descriptions out of CRDs", size)
	}
	if size := sizeWith(func(*Object) *Object { return nil }); err == nil && size <= nearMaxPackage {
		s.advise("package a kustomization that removes the CRDs by a patch ($patch: delete), and have users apply "+crdsFile+" first", size)
	}
	if err != nil {
		return s, err
	}
	size, err = releaseSize(chart, map[string]any{"crds": map[string]any{"install": false}})
	switch {
	case err != nil:
	case size > maxPackage:
		s.advice = append(s.advice, "crds.install=false is not enough: a release has the templates of the CRDs nevertheless: "+kibibytes(size))
	case s.Bytes > maxPackage:
		s.advise("users of crds.install=false could install it, but opgen writes no chart that its default values make too large", size)
	default:
		s.advise("users who have values of their own can set crds.install=false, and apply "+crdsFile+" first", size)
	}
	return s, err
}

// crdsFile is the file with the CRDs of a project.
const crdsFile = "deploy/zz_generated.crd.yaml"

// advise adds what makes a package as large as given.
func (s *Size) advise(what string, bytes int) {
	s.advice = append(s.advice, what+": "+kibibytes(bytes))
}

// BundleSize returns the size of a bundle in the ConfigMap that the Operator Lifecycle Manager unpacks it into: each file
// compressed and in base64. remake makes the bundle of an operator.
func BundleSize(o *Operator, bundle []tree.File, remake func(*Operator) ([]tree.File, error)) (Size, error) {
	size, err := bundleSize(bundle)
	s := Size{Bytes: size, subject: "the bundle, which the Operator Lifecycle Manager unpacks into one ConfigMap,"}
	if err != nil || !s.IsNear() {
		return s, err
	}
	bare, err := remake(o.withCRDs(withoutDescriptions))
	if err != nil {
		return s, err
	}
	size, err = bundleSize(bare)
	if size <= nearMaxPackage {
		s.advise("write maxDescLen: 0 in opgen.yaml, which leaves the descriptions out of CRDs", size)
	} else {
		s.advice = append(s.advice, "make several operators of it: it is no smaller than "+kibibytes(size)+" with maxDescLen: 0")
	}
	return s, err
}

// bundleSize returns how long the compressed files of a bundle are together.
func bundleSize(bundle []tree.File) (size int, err error) {
	for _, f := range bundle {
		compressed, err := compressedSize(f.Content, gzip.DefaultCompression)
		if err != nil {
			return 0, err
		}
		size += compressed
	}
	return size, nil
}

// withCRDs returns the operator with changed CRDs; a change that returns nil removes the CRD.
func (o *Operator) withCRDs(change func(*Object) *Object) *Operator {
	changed := *o
	changed.Objects = nil
	for _, object := range o.Objects {
		if object.GetKind() == "CustomResourceDefinition" {
			object = change(object)
		}
		if object != nil {
			changed.Objects = append(changed.Objects, object)
		}
	}
	return &changed
}

// withoutDescriptions returns a CRD as maxDescLen: 0 makes it.
func withoutDescriptions(crd *Object) *Object {
	crd = crd.DeepCopy()
	removeDescriptions(crd.Object)
	return crd
}

// removeDescriptions removes the texts that describe a schema, and no property of that name, which is a mapping.
func removeDescriptions(value any) {
	switch value := value.(type) {
	case map[string]any:
		if _, isText := value["description"].(string); isText {
			delete(value, "description")
		}
		for _, content := range value {
			removeDescriptions(content)
		}
	case []any:
		for _, item := range value {
			removeDescriptions(item)
		}
	}
}

// releaseSize returns how long Helm's text of a release of a chart is, with values in the place of top-level defaults.
func releaseSize(chart []tree.File, values map[string]any) (int, error) {
	r, err := renderChart(chart, values)
	if err != nil {
		return 0, fmt.Errorf("render the chart: %w", err)
	}
	const moment = "2006-01-02T15:04:05.999999999Z"
	type file struct {
		Name    string `json:"name"`
		Data    []byte `json:"data"`
		ModTime string `json:"modtime"`
	}
	templates := make([]file, len(r.templates))
	for i, f := range r.templates {
		templates[i] = file{f.Path, f.Content, moment}
	}
	text, err := json.Marshal(map[string]any{
		"config": values, "name": "release", "namespace": "release", "version": 1, "apply_method": "ssa", "manifest": r.manifest,
		"info": map[string]any{"first_deployed": moment, "last_deployed": moment, "deleted": "", "description": "Initial install underway", "status": "pending-install", "notes": r.notes},
		"chart": map[string]any{"metadata": r.metadata, "lock": nil, "templates": templates, "values": r.values, "schema": r.schema,
			"schemamodtime": moment, "files": []file{}, "modtime": moment},
	})
	if err != nil {
		return 0, err
	}
	return compressedSize(text, gzip.BestCompression)
}

// compressedSize returns the length of a text that is compressed and in base64.
func compressedSize(text []byte, level int) (int, error) {
	var compressed bytes.Buffer
	w, err := gzip.NewWriterLevel(&compressed, level)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(text); err != nil {
		return 0, err
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	return base64.StdEncoding.EncodedLen(compressed.Len()), nil
}
