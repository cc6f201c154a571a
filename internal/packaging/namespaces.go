package packaging

import (
	"regexp"
	"strings"
)

// namespaceLabel is the label with the name of a namespace, which selectors of namespaces use.
const namespaceLabel = "kubernetes.io/metadata.name"

// namespaceFields are the fields whose values, or the items of whose lists, are names of namespaces.
var namespaceFields = map[string]bool{"namespace": true, "namespaces": true, "matchNames": true, namespaceLabel: true}

// moveNamespace replaces the name of a namespace where an object means the namespace, and returns the value, which it
// changes. The same word elsewhere stays: an API group or a label may contain it. key is that of the field with the
// value.
//
// These mean a namespace: the fields of namespaceFields, the expressions of selectors about namespaceLabel, the domain
// names of Services, the reference of cert-manager to a certificate, flags such as --namespace, and environment
// variables such as POD_NAMESPACE.
func moveNamespace(value any, key, from, to string) any {
	switch value := value.(type) {
	case map[string]any:
		for field, content := range value {
			within := field
			if field == "values" && value["key"] == namespaceLabel {
				within = namespaceLabel
			}
			value[field] = moveNamespace(content, within, from, to)
		}
		if name, _ := value["name"].(string); strings.HasSuffix(name, "NAMESPACE") && value["value"] == from {
			value["value"] = to
		}
	case []any:
		for i, item := range value {
			value[i] = moveNamespace(item, key, from, to)
		}
	case string:
		return moveInText(value, key, from, to)
	}
	return value
}

// moveInText replaces the name of a namespace in the text of a field.
func moveInText(text, key, from, to string) string {
	flag, list, isFlag := strings.Cut(text, "=")
	certificate, isIn := strings.CutPrefix(text, from+"/")
	switch {
	case namespaceFields[key] && text == from:
		return to
	case key == "cert-manager.io/inject-ca-from" && isIn:
		return to + "/" + certificate
	case isFlag && strings.HasPrefix(flag, "-") && strings.Contains(flag, "namespace"):
		names := strings.Split(list, ",")
		for i, name := range names {
			if name == from {
				names[i] = to
			}
		}
		return flag + "=" + strings.Join(names, ",")
	}
	domain := regexp.MustCompile(`\.` + regexp.QuoteMeta(from) + `\.svc($|[.:/])`)
	return domain.ReplaceAllString(text, "."+to+".svc$1")
}
