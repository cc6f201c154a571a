package declared

import "encoding/json"

// GeneratedKey is a key of a Secret whose value the runtime generates. Sync never knows a value that
// is not stored.
type GeneratedKey struct {
	Key    string
	Length Random
	Token  string // another token asks for another value
}

// Random is the number of letters and digits of a random value.
type Random int

// A Secret carries in an annotation which of its values were generated, as a JSON object: the keys,
// and the token that each value was generated for.

// GeneratedText returns what a Secret with these keys carries.
func GeneratedText(keys []GeneratedKey) string {
	tokens := make(map[string]string, len(keys))
	for _, key := range keys {
		tokens[key.Key] = key.Token
	}
	text, _ := json.Marshal(tokens) // which are strings
	return string(text)
}

// ParseGeneratedText returns the tokens that a Secret carries, by the keys of its values. It returns nil
// if somebody has edited them.
func ParseGeneratedText(text string) (tokens map[string]string) {
	if json.Unmarshal([]byte(text), &tokens) != nil {
		return nil
	}
	return tokens
}
