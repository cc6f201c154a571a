package packaging

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/tree"
	"github.com/opgen-dev/opgen/internal/yamltext"
)

// BundleDir is the folder of the bundle in a project.
const BundleDir = "dist/bundle"

// bundledKinds are the kinds of objects that a bundle has beside its ClusterServiceVersion.
var bundledKinds = []string{"PodDisruptionBudget", "PriorityClass", "Service", "ConfigMap", "Secret", "PrometheusRule", "ServiceMonitor", "Role", "ClusterRole"}

// Bundle returns a bundle in the format registry+v1. replaces is the name of the ClusterServiceVersion that this one is an
// update of, and may be empty.
func Bundle(o *Operator, channel, replaces string) ([]tree.File, error) {
	files := map[string][]byte{"bundle.Dockerfile": o.bundleDockerfile(channel), "metadata/annotations.yaml": nil}
	icon, err := readIcon(o.root, o.Project.Package.Icon)
	if err != nil {
		return nil, err
	}
	version, err := o.serviceVersion(icon, replaces)
	if err = errors.Join(o.checkRules(replaces), err); err != nil {
		return nil, err
	}
	add := func(name string, value any) {
		text, marshalErr := yamltext.Marshal(value)
		if len(files[name]) > 0 {
			marshalErr = fmt.Errorf("two objects of the kustomization would be in %s\n    rename one of them", name)
		}
		if err == nil {
			err = marshalErr
		}
		files[name] = append([]byte(generatedComment), text...)
	}
	add("metadata/annotations.yaml", map[string]any{"annotations": o.bundleLabels(channel)})
	add("manifests/"+o.Project.Name+".clusterserviceversion.yaml", version)
	for _, object := range o.Objects {
		object = object.DeepCopy()
		switch {
		case object.GetKind() == "CustomResourceDefinition":
			withoutConversionService(object)
		case o.isMadeByManager(object):
			continue
		case o.isInServiceVersion(object):
			if lost := lostFields(object); len(lost) > 0 {
				return nil, o.notBundled(object, "a bundle cannot have "+strings.Join(lost, ", ")+" of a "+object.GetKind())
			}
			continue
		case !slices.Contains(bundledKinds, object.GetKind()):
			return nil, o.notBundled(object, "a bundle can have no "+object.GetKind()+exceptionOf(object.GetKind()))
		case object.GetNamespace() != "" && object.GetNamespace() != o.Namespace:
			return nil, o.notBundled(object, "a bundle can have no objects in the namespace "+object.GetNamespace())
		}
		object.SetNamespace("") // that of the installation
		add(fmt.Sprintf("manifests/%s_%s.yaml", object.GetName(), strings.ToLower(object.GetKind())), object.Object)
	}
	var list []tree.File
	for name, content := range files {
		list = append(list, tree.File{Path: path.Join(BundleDir, name), Content: content})
	}
	slices.SortFunc(list, func(a, b tree.File) int { return strings.Compare(a.Path, b.Path) })
	return list, err
}

// notBundled returns an error about an object that a bundle cannot have.
func (o *Operator) notBundled(object *Object, problem string) error {
	return fmt.Errorf("%s, such as %s %s of the kustomization\n    leave it out in a kustomization for the bundle, and name its folder",
		problem, object.GetKind(), object.GetName())
}

// exceptionOf returns which objects of a kind a bundle can have nevertheless.
func exceptionOf(kind string) string {
	switch kind {
	case "Deployment", "ServiceAccount", "RoleBinding", "ClusterRoleBinding", "Namespace":
		return " but that of the operator"
	case "Certificate", "Issuer":
		return " but that of the operator's webhooks"
	}
	return ""
}

// accountFields are the fields of the operator's ServiceAccount that a bundle needs not: its Pods say themselves whether they
// get a token.
var accountFields = []string{"apiVersion", "kind", "metadata", "automountServiceAccountToken"}

// lostFields returns the fields of an object of the operator that a ClusterServiceVersion has no place for.
func lostFields(object *Object) []string {
	var lost []string
	if len(object.GetAnnotations()) > 0 && slices.Contains([]string{"Deployment", "ServiceAccount"}, object.GetKind()) {
		lost = append(lost, "annotations")
	}
	for field := range object.Object {
		if object.GetKind() == "ServiceAccount" && !slices.Contains(accountFields, field) {
			lost = append(lost, field)
		}
	}
	slices.Sort(lost)
	return lost
}

// bundleLabels are the labels of the image of a bundle, which its annotations repeat.
func (o *Operator) bundleLabels(channel string) map[string]any {
	return map[string]any{
		"operators.operatorframework.io.bundle.mediatype.v1":       "registry+v1",
		"operators.operatorframework.io.bundle.manifests.v1":       "manifests/",
		"operators.operatorframework.io.bundle.metadata.v1":        "metadata/",
		"operators.operatorframework.io.bundle.package.v1":         o.Project.Name,
		"operators.operatorframework.io.bundle.channels.v1":        channel,
		"operators.operatorframework.io.bundle.channel.default.v1": channel,
	}
}

func (o *Operator) bundleDockerfile(channel string) []byte {
	var text strings.Builder
	text.WriteString(generatedComment + "FROM scratch\n")
	labels := o.bundleLabels(channel)
	var names []string
	for name := range labels {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&text, "LABEL %s=%s\n", name, labels[name])
	}
	text.WriteString("COPY manifests /manifests/\nCOPY metadata /metadata/\n")
	return []byte(text.String())
}

// serviceVersionName is the name of the ClusterServiceVersion.
func (o *Operator) serviceVersionName() string { return o.Project.Name + ".v" + o.Version }

// serviceVersion returns the ClusterServiceVersion.
func (o *Operator) serviceVersion(icon icon, replaces string) (map[string]any, error) {
	p := o.Project.Package
	install, err := o.installStrategy()
	if err != nil {
		return nil, err
	}
	owned, err := o.ownedKinds()
	if err != nil {
		return nil, err
	}
	webhooks, err := o.webhookDefinitions()
	if err != nil {
		return nil, err
	}
	examples, err := json.MarshalIndent(o.exampleObjects(), "", "  ")
	if err != nil {
		return nil, err
	}
	spec := map[string]any{
		"displayName": o.displayName(), "description": o.description(), "version": o.Version, "maturity": o.maturity(),
		"minKubeVersion": o.Project.MinKubernetes + ".0", "install": install, "installModes": o.installModes(),
		"customresourcedefinitions": map[string]any{"owned": owned}, "provider": map[string]any{"name": o.provider()},
		"relatedImages": []any{map[string]any{"name": "manager", "image": o.Image}},
	}
	for key, value := range map[string]any{"maintainers": o.maintainers(), "webhookdefinitions": webhooks, "keywords": listOfTexts(p.Keywords)} {
		if list := value.([]any); len(list) > 0 {
			spec[key] = list
		}
	}
	if p.URL != "" {
		spec["links"] = []any{map[string]any{"name": o.displayName(), "url": p.URL}}
	}
	if len(icon.content) > 0 {
		spec["icon"] = []any{map[string]any{"base64data": base64.StdEncoding.EncodeToString(icon.content), "mediatype": icon.mediaType}}
	}
	if replaces != "" {
		spec["replaces"] = replaces
	}
	return map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
		"metadata": map[string]any{
			"name": o.serviceVersionName(), "namespace": "placeholder", "labels": o.platformLabels(),
			"annotations": map[string]any{
				"alm-examples": string(examples), "capabilities": "Basic Install", "containerImage": o.Image, "description": o.description(),
				"operators.operatorframework.io/builder": "opgen",
			},
		},
		"spec": spec,
	}, nil
}

// maturity is alpha before version 1.0.0, and stable from then on.
func (o *Operator) maturity() string {
	if strings.HasPrefix(o.Version, "0.") {
		return "alpha"
	}
	return "stable"
}

// provider is who publishes the operator: what opgen.yaml says, the first maintainer, or the operator itself.
func (o *Operator) provider() string {
	if name := o.Project.Package.Provider; name != "" {
		return name
	}
	for _, maintainer := range o.maintainers() {
		return maintainer.(map[string]any)["name"].(string)
	}
	return o.displayName()
}

// installModes follow watch: an operator of every namespace is installed for all of them, another one for those that its
// installation names.
func (o *Operator) installModes() []any {
	cluster := o.Project.Watch == spec.WatchCluster
	var modes []any
	for _, mode := range []struct {
		name      string
		supported bool
	}{{"OwnNamespace", !cluster}, {"SingleNamespace", !cluster}, {"MultiNamespace", !cluster}, {"AllNamespaces", cluster}} {
		modes = append(modes, map[string]any{"type": mode.name, "supported": mode.supported})
	}
	return modes
}

// platformLabels say on which nodes the operator runs.
func (o *Operator) platformLabels() map[string]any {
	labels, platforms := map[string]any{}, o.Project.Image.Platforms
	if platforms == nil {
		platforms = spec.DefaultPlatforms()
	}
	for _, platform := range platforms {
		system, rest, _ := strings.Cut(string(platform), "/")
		architecture, _, _ := strings.Cut(rest, "/")
		labels["operatorframework.io/os."+system], labels["operatorframework.io/arch."+architecture] = "supported", "supported"
	}
	return labels
}

func listOfTexts(texts []string) []any {
	list := make([]any, len(texts))
	for i, text := range texts {
		list[i] = text
	}
	return list
}
