package webhookmarkers

import (
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-tools/pkg/webhook"

	"github.com/opgen-dev/opgen/internal/nearest"
)

// check returns what the API server would refuse in a webhook, or what contradicts itself; "" if there is
// nothing. controller-tools passes most of it through.
func check(c webhook.Config) (message, hint string) {
	for _, checked := range []func(webhook.Config) (message, hint string){checkWords, checkAddress, checkRules, checkRest} {
		if message, hint = checked(c); message != "" {
			return message, hint
		}
	}
	return "", ""
}

// checkWords checks the arguments that take one of a few words.
func checkWords(c webhook.Config) (message, hint string) {
	for _, argument := range []struct {
		name, value string
		accepted    []string
		required    bool
	}{
		{"failurePolicy", c.FailurePolicy, []string{"fail", "ignore"}, true},
		{"sideEffects", c.SideEffects, []string{"None", "NoneOnDryRun"}, true},
		{"matchPolicy", c.MatchPolicy, []string{"Exact", "Equivalent"}, false},
		{"reinvocationPolicy", c.ReinvocationPolicy, []string{"Never", "IfNeeded"}, false},
	} {
		if argument.value == "" && argument.required {
			return `missing argument "` + argument.name + `"`, "accepted: " + strings.Join(argument.accepted, ", ")
		}
		if argument.value == "" {
			continue
		}
		if message, hint = checkWord(argument.name, argument.value, argument.accepted); message != "" {
			return message, hint
		}
	}
	if c.ReinvocationPolicy != "" && !c.Mutating {
		return "reinvocationPolicy is of mutating webhooks, and this one has mutating=false", "leave it out"
	}
	return "", ""
}

func checkWord(name, value string, accepted []string) (message, hint string) {
	if slices.ContainsFunc(accepted, func(word string) bool { return strings.EqualFold(word, value) }) {
		return "", ""
	}
	hint = "accepted: " + strings.Join(accepted, ", ")
	if meant := nearest.Name(value, accepted); meant != "" {
		hint = "did you mean " + meant + "?"
	}
	return name + "=" + value + " is not accepted", hint
}

// checkAddress checks where the webhook is.
func checkAddress(c webhook.Config) (message, hint string) {
	switch {
	case c.Path == "" && c.URL == "":
		return "needs a path", "such as path=/mutate-apps-v1-deployment, at which the operator serves it"
	case c.Path != "" && c.URL != "":
		return "path and url exclude each other", "the path of a url is its end"
	case c.URL != "" && (c.ServiceName != "" || c.ServiceNamespace != "" || c.ServicePort != nil):
		return "a url has no Service", "leave out serviceName, serviceNamespace and servicePort"
	case c.URL != "" && !strings.HasPrefix(c.URL, "https://"):
		return "url=" + c.URL + " does not begin with https://", ""
	case c.Path != "" && !strings.HasPrefix(c.Path, "/"):
		return "path=" + c.Path + " does not begin with /", "did you mean /" + c.Path + "?"
	case c.ServicePort != nil && (*c.ServicePort < 1 || *c.ServicePort > 65535):
		return "servicePort=" + strconv.Itoa(int(*c.ServicePort)) + " is no port", "1 to 65535"
	}
	return "", ""
}

// checkRules checks which requests the webhook gets.
func checkRules(c webhook.Config) (message, hint string) {
	verbs := []string{"create", "update", "delete", "connect", "*"}
	for _, list := range []struct {
		name   string
		values []string
	}{{"groups", c.Groups}, {"versions", c.Versions}, {"resources", c.Resources}, {"verbs", c.Verbs}} {
		switch {
		case len(list.values) == 0:
			return list.name + " is empty", `write * for all; the core group is groups=""`
		case list.name != "groups" && slices.Contains(list.values, ""):
			return list.name + " has an empty entry", "write * for all"
		case list.name != "resources" && slices.Contains(list.values, "*") && len(list.values) > 1:
			return list.name + " has * and others", "* stands for all: leave the others out"
		}
	}
	for _, verb := range c.Verbs {
		if message, hint = checkWord("verbs", verb, verbs); message != "" {
			return message, hint
		}
	}
	return "", ""
}

// checkRest checks the name, the versions and the time.
func checkRest(c webhook.Config) (message, hint string) {
	switch {
	case len(validation.IsDNS1123Subdomain(c.Name)) > 0 || strings.Count(c.Name, ".") < 2:
		return "name=" + c.Name + " is not accepted", "write a DNS name of at least three parts, such as deployment.apps.example.com"
	case c.TimeoutSeconds < 0 || c.TimeoutSeconds > 30:
		return "timeoutSeconds=" + strconv.Itoa(c.TimeoutSeconds) + " is not accepted", "1 to 30"
	case !slices.Contains(c.AdmissionReviewVersions, "v1") && !slices.Contains(c.AdmissionReviewVersions, "v1beta1"):
		return "admissionReviewVersions has no version that the API server sends", "write admissionReviewVersions=v1"
	case len(c.WebhookVersions) > 0 && !slices.Equal(c.WebhookVersions, []string{"v1"}):
		return "webhookVersions=" + strings.Join(c.WebhookVersions, ";") + " is not accepted", "the API server knows v1 alone: leave it out"
	}
	return "", ""
}
