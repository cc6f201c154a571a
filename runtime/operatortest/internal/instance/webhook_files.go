package instance

import (
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admissionregistration/v1"
)

// The kinds of webhook configurations.
const (
	mutatingKind   = "MutatingWebhookConfiguration"
	validatingKind = "ValidatingWebhookConfiguration"
)

// ReadWebhooks reads the webhooks in files, or in all YAML files of directories.
func ReadWebhooks(paths []string) (mutating []admissionv1.MutatingWebhook, validating []admissionv1.ValidatingWebhook, err error) {
	for _, path := range paths {
		found, err := readObjects(path, mutatingKind, validatingKind)
		if err != nil {
			return nil, nil, err
		}
		for _, one := range found {
			var changes admissionv1.MutatingWebhookConfiguration
			var refuses admissionv1.ValidatingWebhookConfiguration
			if one.Kind == mutatingKind {
				err = json.Unmarshal(one.raw, &changes)
			} else {
				err = json.Unmarshal(one.raw, &refuses)
			}
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", path, err)
			}
			mutating, validating = append(mutating, changes.Webhooks...), append(validating, refuses.Webhooks...)
		}
	}
	return mutating, validating, nil
}
