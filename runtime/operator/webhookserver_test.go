package operator_test

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestWebhookServerReplacesTheOneOfTheFlags(t *testing.T) {
	options, server := operator.Defaults(), webhook.NewServer(webhook.Options{Port: 1})
	operator.WebhookServer(server)(&options)
	if options.WebhookServer != server {
		t.Errorf("the server is %v", options.WebhookServer)
	}
}
