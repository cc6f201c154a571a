package arbitrary

import "testing"

// TestInterlockingRules finds valid objects where several rules have to hold at once. Each of them
// is checked by the API server's own validation.
func TestInterlockingRules(t *testing.T) {
	for _, tc := range []struct{ given, schema string }{
		{"a chain of numbers", `{type: object, required: [a, b, c, d], properties: {a: {type: integer}, b: {type: integer}, c: {type: integer, maximum: 40}, d: {type: integer}},
			x-kubernetes-validations: [{rule: "self.a < self.b"}, {rule: "self.b < self.c"}, {rule: "self.a >= 17"}, {rule: "self.c - self.a >= 8"}, {rule: "self.d == self.a + self.b"}]}`},
		{"a sum of a list", `{type: object, required: [parts], properties: {parts: {type: array, maxItems: 5, items: {type: object, required: [weight], properties: {weight: {type: integer, minimum: 1, maximum: 90}}}}},
			x-kubernetes-validations: [{rule: "self.parts.map(p, p.weight).sum() == 100"}, {rule: "self.parts.size() >= 2"}]}`},
		{"one of six", `{type: object, properties: {a: {type: string}, b: {type: string}, c: {type: string}, d: {type: object, properties: {x: {type: string}}}, e: {type: integer}, f: {type: boolean}},
			x-kubernetes-validations: [{rule: "[has(self.a), has(self.b), has(self.c), has(self.d), has(self.e), has(self.f)].filter(x, x).size() == 1"}, {rule: "!has(self.a) && !has(self.b)"}, {rule: "has(self.d) ? has(self.d.x) : true"}]}`},
		{"one of several, counted", `{type: object, properties: {a: {type: string}, b: {type: string}, c: {type: string}, d: {type: string}, e: {type: string}},
			x-kubernetes-validations: [{rule: "(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) + (has(self.c) ? 1 : 0) + (has(self.d) ? 1 : 0) + (has(self.e) ? 1 : 0) == 3"}, {rule: "has(self.a) == has(self.b)"}, {rule: "!(has(self.c) && has(self.d))"}]}`},
		{"a kind and its block", `{type: object, required: [kind], properties: {kind: {type: string, enum: [File, Http, Bucket]}, file: {type: object, required: [path], properties: {path: {type: string}}}, http: {type: object, required: [url], properties: {url: {type: string}, port: {type: integer}}}, bucket: {type: object, properties: {name: {type: string}, region: {type: string}}}},
			x-kubernetes-validations: [{rule: "self.kind == 'File' ? has(self.file) && !has(self.http) && !has(self.bucket) : !has(self.file)"}, {rule: "self.kind != 'Http' || has(self.http) && self.http.url.startsWith('https://') && self.http.port == 443"}, {rule: "(self.kind == 'Http') == has(self.http)"}, {rule: "has(self.bucket) == (self.kind == 'Bucket')"}, {rule: "!has(self.bucket) || has(self.bucket.name) && has(self.bucket.region) && self.bucket.name.startsWith(self.bucket.region)"}]}`},
		{"a text of many rules", `{type: object, required: [name], properties: {name: {type: string, pattern: "^[a-z0-9.-]+$", minLength: 12, maxLength: 20}},
			x-kubernetes-validations: [{rule: "self.name.startsWith('svc-')"}, {rule: "self.name.endsWith('.local')"}, {rule: "self.name.contains('42')"}, {rule: "!self.name.contains('--')"}, {rule: "self.name.matches('[0-9]{3}')"}, {rule: "self.name.size() == 17"}]}`},
		{"patterns together", `{type: object, required: [s], properties: {s: {type: string, allOf: [{pattern: "^[a-z]+:[0-9]+$"}, {pattern: "^web"}, {pattern: "80$"}, {maxLength: 8}, {minLength: 8}]}}}`},
		{"a pattern and a length", `{type: object, required: [s], properties: {s: {type: string, pattern: "^([a-z0-9]+\\.)+[a-z]{2,}$", minLength: 40, maxLength: 41}}}`},
		{"keys of a map", `{type: object, required: [labels], properties: {labels: {type: object, minProperties: 2, additionalProperties: {type: string, maxLength: 63},
			x-kubernetes-validations: [{rule: "self.all(k, k.startsWith('example.com/') && k.size() <= 20)"}, {rule: "self.exists(k, self[k] == 'yes')"}, {rule: "'example.com/team' in self"}]}}}`},
		{"a list whose items refer to each other", `{type: object, required: [steps, start], properties: {start: {type: string}, steps: {type: array, minItems: 2, maxItems: 6, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name], properties: {name: {type: string, minLength: 1, maxLength: 10}, next: {type: string}}}}},
			x-kubernetes-validations: [{rule: "self.steps.exists(s, s.name == self.start)"}, {rule: "self.steps.all(s, !has(s.next) || self.steps.exists(o, o.name == s.next))"}, {rule: "self.steps.exists_one(s, !has(s.next))"}, {rule: "self.steps.all(s, !has(s.next) || s.next != s.name)"}]}`},
		{"no two alike", `{type: object, required: [ports], properties: {ports: {type: array, minItems: 3, maxItems: 8, items: {type: object, required: [port, protocol], properties: {port: {type: integer, minimum: 1, maximum: 5}, protocol: {type: string, enum: [TCP, UDP]}}}}},
			x-kubernetes-validations: [{rule: "self.ports.all(a, self.ports.exists_one(b, a.port == b.port && a.protocol == b.protocol))"}, {rule: "self.ports.exists(p, p.protocol == 'UDP')"}, {rule: "self.ports.filter(p, p.protocol == 'TCP').size() >= 2"}]}`},
		{"bounds that are optional", `{type: object, properties: {min: {type: integer}, max: {type: integer}, count: {type: integer, default: 50}},
			x-kubernetes-validations: [{rule: "!has(self.min) || !has(self.max) || self.min <= self.max"}, {rule: "has(self.min) || has(self.max)"}, {rule: "!has(self.min) || self.count >= self.min"}, {rule: "!has(self.max) || self.count <= self.max"}, {rule: "has(self.min) && self.min > 10"}]}`},
		{"sizes that agree", `{type: object, required: [names, values], properties: {names: {type: array, maxItems: 9, items: {type: string}}, values: {type: array, maxItems: 9, items: {type: integer}}},
			x-kubernetes-validations: [{rule: "size(self.names) == size(self.values)"}, {rule: "self.names.size() > 3"}, {rule: "self.names.all(n, n.size() == 4)"}, {rule: "self.values.all(v, v % 7 == 0 && v > 20)"}]}`},
		{"durations and quantities", `{type: object, required: [a, b, low, high], properties: {a: {type: string}, b: {type: string}, low: {type: string}, high: {type: string}},
			x-kubernetes-validations: [{rule: "duration(self.a) < duration(self.b)"}, {rule: "duration(self.a) >= duration('5s')"}, {rule: "isQuantity(self.low) && isQuantity(self.high) && quantity(self.low).isLessThan(quantity(self.high))"}]}`},
		{"urls and addresses", `{type: object, required: [u, ip, net], properties: {u: {type: string}, ip: {type: string}, net: {type: string}},
			x-kubernetes-validations: [{rule: "isURL(self.u) && url(self.u).getScheme() in ['https', 'http']"}, {rule: "isIP(self.ip) && ip(self.ip).family() == 4"}, {rule: "isCIDR(self.net)"}, {rule: "!format.dns1123Label().validate(self.ip).hasValue() || true"}]}`},
		{"what cannot change", `{type: object, required: [id], properties: {id: {type: string, x-kubernetes-validations: [{rule: "self == oldSelf"}]}, once: {type: string}, size: {type: integer, x-kubernetes-validations: [{rule: "!oldSelf.hasValue() || self >= oldSelf.value()", optionalOldSelf: true}]}},
			x-kubernetes-validations: [{rule: "!has(oldSelf.once) || has(self.once)"}, {rule: "oldSelf.hasValue() || has(self.once) && self.once == 'new'", optionalOldSelf: true}]}`},
		{"rules at several depths", `{type: object, required: [a], properties: {mode: {type: string, enum: [x, y], default: x}, a: {type: object, required: [b], properties: {b: {type: object, properties: {count: {type: integer, minimum: 0}, m: {type: integer}}, x-kubernetes-validations: [{rule: "has(self.count) == has(self.m)"}, {rule: "!has(self.count) || self.count == self.m * 2"}]}},
				x-kubernetes-validations: [{rule: "has(self.b.count)"}]}},
			x-kubernetes-validations: [{rule: "self.mode == 'x' ? self.a.b.count == 84 : self.a.b.count == 0"}]}`},
		{"branches of branches", `{type: object, properties: {a: {type: string}, b: {type: string}, c: {type: string}, d: {type: integer}},
			allOf: [{oneOf: [{required: [a]}, {required: [b]}]}, {anyOf: [{required: [c]}, {properties: {a: {enum: [x]}}, required: [a]}]}, {not: {required: [a, c]}}, {oneOf: [{properties: {d: {minimum: 10}}, required: [d]}, {required: [c]}]}]}`},
		{"optional fields by dots", `{type: object, properties: {a: {type: object, properties: {b: {type: string}}}, c: {type: string}},
			x-kubernetes-validations: [{rule: "self.?a.?b.orValue('none') == self.?c.orValue('')"}, {rule: "self.?a.b.hasValue()"}]}`},
		{"a set within a set", `{type: object, required: [all, some], properties: {all: {type: array, x-kubernetes-list-type: set, maxItems: 6, items: {type: string, enum: [a, b, c, d, e]}}, some: {type: array, x-kubernetes-list-type: set, minItems: 2, maxItems: 6, items: {type: string}}},
			x-kubernetes-validations: [{rule: "self.some.all(s, s in self.all)"}, {rule: "!('a' in self.some)"}, {rule: "sets.contains(self.all, self.some)"}]}`},
		{"numbers or texts", `{type: object, required: [p], properties: {p: {x-kubernetes-int-or-string: true}, q: {x-kubernetes-int-or-string: true}},
			x-kubernetes-validations: [{rule: "type(self.p) == string ? self.p.matches('^[0-9]+%$') : self.p > 3"}, {rule: "has(self.q) && type(self.q) == int && self.q >= 1 && self.q <= 3"}, {rule: "type(self.p) == string"}]}`},
		{"names with dashes", `{type: object, properties: {my-field: {type: string}, namespace: {type: string}, "if": {type: integer}},
			x-kubernetes-validations: [{rule: "has(self.my__dash__field) && self.my__dash__field == self.__namespace__"}, {rule: "self.__if__ == 12"}]}`},
		{"times", `{type: object, required: [from, to], properties: {from: {type: string, format: date-time}, to: {type: string, format: date-time}, every: {type: string, format: duration}},
			x-kubernetes-validations: [{rule: "self.from < self.to"}, {rule: "has(self.every) && self.every >= duration('90s')"}]}`},
		{"text of another's parts", `{type: object, required: [host, url, upper], properties: {host: {type: string, minLength: 3}, url: {type: string}, upper: {type: string}},
			x-kubernetes-validations: [{rule: "self.url == 'https://' + self.host + '/x'"}, {rule: "self.upper.lowerAscii() == self.host && self.upper != self.host"}, {rule: "self.host.split('.').size() == 3"}]}`},
	} {
		t.Run(tc.given, func(t *testing.T) { specs(t, tc.schema, "", 20) })
	}
}
