package warnings

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/opgen-dev/opgen/internal/kubetypes"
	"github.com/opgen-dev/opgen/internal/spec"
)

// shortNames are the short names of Kubernetes' own kinds, by plural.
var shortNames = map[string]string{
	"bindings": "", "certificatesigningrequests": "csr", "componentstatuses": "cs", "configmaps": "cm", "cronjobs": "cj",
	"customresourcedefinitions": "crd crds", "daemonsets": "ds", "deployments": "deploy", "endpoints": "ep", "events": "ev",
	"horizontalpodautoscalers": "hpa", "ingresses": "ing", "ipaddresses": "ip", "limitranges": "limits", "namespaces": "ns",
	"networkpolicies": "netpol", "nodes": "no", "persistentvolumeclaims": "pvc", "persistentvolumes": "pv",
	"poddisruptionbudgets": "pdb", "pods": "po", "podtemplates": "", "priorityclasses": "pc", "replicasets": "rs",
	"replicationcontrollers": "rc", "resourcequotas": "quota", "serviceaccounts": "sa", "services": "svc",
	"statefulsets": "sts", "storageclasses": "sc", "volumeattributesclasses": "vac",
}

// taken maps every name by which kubectl knows a kind of Kubernetes to that kind.
var taken = sync.OnceValue(func() map[string]kubetypes.Kind {
	names := map[string]kubetypes.Kind{}
	for _, k := range kubetypes.Kinds() {
		for _, name := range append(strings.Fields(shortNames[k.Plural]), k.Plural, strings.ToLower(k.Kind)) {
			if _, known := names[name]; !known {
				names[name] = k
			}
		}
	}
	return names
})

// checkNames warns of names that kubectl resolves to a kind of Kubernetes instead.
func (w *warner) checkNames() {
	n := w.api.Names
	w.checkName("names.plural", n.Plural)
	if n.Singular != strings.ToLower(n.Kind) || !w.isOtherKind(n.Plural) { // otherwise it would repeat the warning of the plural
		w.checkName("names.singular", n.Singular)
	}
	for i, short := range n.ShortNames {
		w.checkName(fmt.Sprintf("names.shortNames[%d]", i), short)
	}
}

func (w *warner) isOtherKind(name string) bool {
	k, found := taken()[name]
	return found && k.Group != w.api.Group
}

func (w *warner) checkName(path, name string) {
	if !w.isOtherKind(name) {
		return
	}
	k := taken()[name]
	w.addAtKey(spec.WarnNames, path, strconv.Quote(name)+" is "+k.Kind+" of "+k.APIVersion()+" to kubectl",
		"choose another name, or tell users to write "+w.api.Names.Plural+"."+w.api.Group)
}
