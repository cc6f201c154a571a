package simulation

import (
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// mergeDynamic is mergeContents for an object without a Go type, of whose lists no keys are known.
func mergeDynamic(live client.Object, original, modified, current []byte) (client.Object, error) {
	patch, err := jsonmergepatch.CreateThreeWayJSONMergePatch(original, modified, current)
	if err != nil {
		return nil, err
	}
	merged, err := jsonpatch.MergePatch(current, patch)
	if err != nil {
		return nil, err
	}
	return decodeAs(merged, live)
}
