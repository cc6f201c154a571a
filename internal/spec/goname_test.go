package spec

import "testing"

func TestGoName(t *testing.T) {
	for name, want := range map[string]string{
		"serviceName":                       "ServiceName",
		"replicas":                          "Replicas",
		"podIP":                             "PodIP",
		"ossBucket":                         "OssBucket",
		"podIp":                             "PodIP",
		"clusterIPs":                        "ClusterIPs",
		"id":                                "ID",
		"serverUrls":                        "ServerURLs",
		"httpGet":                           "HTTPGet",
		"HTTPGet":                           "HTTPGet",
		"caBundle":                          "CABundle",
		"apiVersion":                        "APIVersion",
		"mirror_percent":                    "MirrorPercent",
		"MAX_SIZE":                          "MaxSize",
		"per-connection-buffer-limit-bytes": "PerConnectionBufferLimitBytes",
		"hugepages-2Mi":                     "Hugepages2Mi",
		"2xx":                               "X2xx",
		"$ref":                              "Ref",
		"--":                                "X",
		"éclair":                            "Éclair",
		"日本":                                "X日本",
		"type":                              "Type",
	} {
		if got := GoName(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
