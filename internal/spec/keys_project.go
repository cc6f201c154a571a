package spec

import (
	"fmt"
	"strconv"
)

// headerKeys returns apiVersion and kind, with which every spec file starts.
func headerKeys(kind string) []Key {
	return []Key{
		{Name: "apiVersion", Required: true, Doc: "the version of the spec language: `" + FormatVersion + "`", value: fixedWord(FormatVersion)},
		{Name: "kind", Required: true, Doc: "what the file describes: `" + kind + "`", value: fixedWord(kind)},
	}
}

// projectMapping returns the keys of opgen.yaml.
func projectMapping(p *Project) Mapping {
	p.MaxDescLen = -1
	return Mapping{Name: "Project", Keys: append(headerKeys("Project"), []Key{
		{Name: "name", Required: true, value: formedText(&p.Name, &projectNameForm),
			Doc: "names the Deployment, the namespace `<name>-system` and the field manager; a DNS label of at most 56 characters"},
		{Name: "module", Required: true, value: formedText(&p.Module, &moduleForm), Doc: "path of the Go module"},
		{Name: "domain", Absent: "none", value: formedText(&p.Domain, &domainForm),
			Doc: "DNS suffix that `create api` completes a group without a dot with"},
		{Name: "watch", value: wordOr(WatchCluster, &p.Watch, WatchCluster, WatchNamespace),
			Doc: "`cluster`: every namespace, with a ClusterRole; `namespace`: the operator's own namespace, with a Role"},
		{Name: "multigroup", value: trueOrFalseBy(false, &p.Multigroup),
			Doc: "`true` puts Go types into `api/<group>/<version>`, which several groups need"},
		{Name: "minKubernetes", value: kubernetesVersion(&p.MinKubernetes),
			Doc: fmt.Sprintf(`the oldest Kubernetes that CRDs must work on, from "1.%d" to "1.%d", quoted; selects the CEL environment that rules are checked in`, oldestKubernetes, newestKubernetes)},
		{Name: "clients", value: trueOrFalseBy(false, &p.Clients),
			Doc: "`true` generates typed clients into `client/`: clientset, listers, informers and apply configurations"},
		{Name: "maxDescLen", Absent: "all", value: integerBetween(&p.MaxDescLen, 0, maxDescription),
			Doc: "how many characters of each description the CRDs in `deploy/` have at the most, cut at the end of a sentence where there is one; `0`: no descriptions"},
		{Name: "headerFile", Absent: "none", value: formedText(&p.HeaderFile, &headerFileForm),
			Doc: "a file of Go comments, such as a license, that generated Go files begin with"},
		{Name: "templates", Absent: "none", value: distinctList(&p.Templates, strconv.Quote, func(into *string) value { return formedText(into, &templatesForm) }),
			Doc: "[templates of your own](templates.md): each a folder of the project, or the path of a folder in a Go module that tools.mod requires, such as `example.com/house/templates`"},
		{Name: "ignoreUnexportedFields", value: trueOrFalseBy(false, &p.IgnoreUnexportedFields),
			Doc: "`true` passes over fields of [your Go types](#go-first) that are not exported, though they have a JSON tag, which is an error otherwise"},
	}...)}
}

// kubernetesVersion accepts the versions that minKubernetes can have.
func kubernetesVersion(into *string) value {
	*into = DefaultMinKubernetes
	v := formedText(into, &minKubernetesForm)
	v.preset = DefaultMinKubernetes
	return v
}
