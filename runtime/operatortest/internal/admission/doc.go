// Package admission sets up admission for a test: webhooks that the test serves itself, and
// ValidatingAdmissionPolicies. Each refuses a probe, too, which shows when it is in effect.
package admission
