package gomodel

import "testing"

func TestElementName(t *testing.T) {
	for list, want := range map[string]string{
		"EchoServerPorts":     "EchoServerPort",
		"EchoServerPolicies":  "EchoServerPolicy",
		"EchoServerAddresses": "EchoServerAddress",
		"ServiceClusterIPs":   "ServiceClusterIP",
		"ServerURLs":          "ServerURL",
		"EchoServerData":      "EchoServerDatum",
		"EchoServerLimit":     "EchoServerLimitItem",
	} {
		if got := elementName(list); got != want {
			t.Errorf("%s: got %s, want %s", list, got, want)
		}
	}
}
