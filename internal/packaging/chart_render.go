package packaging

import (
	"fmt"
	"maps"
	"path"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"

	"github.com/opgen-dev/opgen/internal/tree"
)

// renderedChart is what Helm makes of a chart with its default values.
type renderedChart struct {
	metadata, values map[string]any
	templates        []tree.File
	schema           []byte
	manifest, notes  string
}

// renderChart renders a chart as helm install does, with values in the place of top-level defaults. It knows the functions
// that the templates of opgen use.
func renderChart(files []tree.File, values map[string]any) (renderedChart, error) {
	r := renderedChart{metadata: map[string]any{}, values: map[string]any{}}
	for _, f := range files {
		var err error
		switch name := strings.TrimPrefix(f.Path, ChartDir+"/"); name {
		case "Chart.yaml":
			err = yaml.Unmarshal(f.Content, &r.metadata)
		case "values.yaml":
			err = yaml.Unmarshal(f.Content, &r.values)
		case "values.schema.json":
			r.schema = f.Content
		default:
			r.templates = append(r.templates, tree.File{Path: name, Content: f.Content})
		}
		if err != nil {
			return r, fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	maps.Copy(r.values, values)
	return r, r.render()
}

// render fills in the manifest and the notes.
func (r *renderedChart) render() error {
	all := template.New("").Funcs(sprig.TxtFuncMap())
	all.Funcs(template.FuncMap{
		"toYaml": func(value any) string {
			text, _ := yaml.Marshal(value) // values are texts, numbers, lists and mappings
			return strings.TrimSuffix(string(text), "\n")
		},
		"include": func(name string, data any) (string, error) {
			var text strings.Builder
			err := all.ExecuteTemplate(&text, name, data)
			return text.String(), err
		},
	})
	for _, f := range r.templates {
		if _, err := all.New(f.Path).Parse(string(f.Content)); err != nil {
			return err
		}
	}
	data := map[string]any{
		"Values": r.values, "Release": map[string]any{"Name": "release", "Namespace": "release", "Service": "Helm"},
		"Chart": map[string]any{"Name": r.metadata["name"], "Version": r.metadata["version"], "AppVersion": r.metadata["appVersion"]},
	}
	for _, f := range r.templates {
		var text strings.Builder
		if err := all.ExecuteTemplate(&text, f.Path, data); err != nil {
			return err
		}
		switch path.Ext(f.Path) {
		case ".yaml":
			r.manifest += fmt.Sprintf("---\n# Source: %v/%s\n%s\n", r.metadata["name"], f.Path, text.String())
		case ".txt":
			r.notes = text.String()
		}
	}
	return nil
}
