package spec

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms are the words that Go and the Kubernetes API write in capitals.
var initialisms = wordSet(`acl api ascii ca cidr cpu crd csi css dns eof fqdn fs gid gpu guid html http https id iops ip ipc
	json jwt kms lhs nfs oidc os pid qps ram rhs rpc sla smtp sql ssh ssl tcp tls ttl udp ui uid uri url utf8 uuid vm xml
	xmpp xsrf xss`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(list) {
		set[word] = true
	}
	return set
}

// PackageNames are the names that every generated Go package of types declares beside the types: no
// kind and no type can have one of them.
func PackageNames() []string {
	return []string{"AddToScheme", "GroupVersion", "Resource", "SchemeGroupVersion"}
}

// GoName returns the exported Go identifier for the name of a field: podIP becomes PodIP,
// serverUrls becomes ServerURLs, per-connection-limit becomes PerConnectionLimit, 2xx becomes X2xx.
// The same name always gives the same identifier; two names of one object may give one.
func GoName(name string) string {
	if !strings.ContainsFunc(name, unicode.IsLower) && strings.ContainsAny(name, "_-") {
		name = strings.ToLower(name) // MAX_SIZE
	}
	var b strings.Builder
	for _, word := range splitWords(name) {
		b.WriteString(capitalizeWord(word))
	}
	first, _ := utf8.DecodeRuneInString(b.String())
	if !unicode.IsUpper(first) {
		return "X" + b.String()
	}
	return b.String()
}

func capitalizeWord(word string) string {
	lower := strings.ToLower(word)
	if initialisms[lower] {
		return strings.ToUpper(word)
	}
	if singular, ok := strings.CutSuffix(lower, "s"); ok && initialisms[singular] && !strings.HasSuffix(singular, "s") { // OSS is no two OS
		return strings.ToUpper(singular) + "s"
	}
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}

// splitWords splits a name where something else than a letter or digit stands, and before a capital
// that follows a small letter or digit.
func splitWords(name string) []string {
	var all []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			all = append(all, string(word))
			word = nil
		}
	}
	for _, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && len(word) > 0 && !unicode.IsUpper(word[len(word)-1]):
			end()
		}
		word = append(word, r)
	}
	end()
	return all
}
