package crdgen

import "github.com/opgen-dev/opgen/internal/spec"

// scaleType is what the scale subresource of any kind serves.
const scaleType = "k8s.io/api/autoscaling/v1.Scale"

// clientMarkers returns the markers of a kind that the generators of typed clients read.
func clientMarkers(k served) []string {
	lines := []string{"+genclient"}
	if k.api.Scope == spec.Cluster {
		lines = append(lines, "+genclient:nonNamespaced")
	}
	if !k.version.Subresources.Status {
		lines = append(lines, "+genclient:noStatus")
	}
	if k.version.Scale != nil {
		lines = append(lines,
			"+genclient:method=GetScale,verb=get,subresource=scale,result="+scaleType,
			"+genclient:method=UpdateScale,verb=update,subresource=scale,input="+scaleType+",result="+scaleType)
	}
	return append(lines, "+resourceName="+k.api.Names.Plural)
}

// listName returns what the list of a kind is called in Go. Typed clients find it by the name of the kind.
func (b *packageBuilder) listName(k served) string {
	if b.pkg.Clients {
		return k.api.Names.GoKind + "List"
	}
	return k.api.Names.GoListKind
}
