package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const heading = `# Licences of what is linked

opgen is under the [Apache License 2.0](LICENSE). These are the modules that the ` + "`opgen`" + ` program and the runtime of operators
link, on all platforms of a release, with their licences. ` + "`make lint`" + ` fails if this list is not right, or if a licence is
not one of ALLOWED. ` + "`make licences`" + ` writes it. An archive of a release has the texts in
THIRD_PARTY_NOTICES.txt, also those of the Kubernetes that it contains.

| Module | Licence | Linked into |
|---|---|---|
`

// formatList returns the list for readers.
func formatList(linked []linkedModule) []byte {
	var list bytes.Buffer
	list.WriteString(strings.Replace(heading, "ALLOWED", strings.Join(allowed, ", "), 1))
	for _, m := range linked {
		fmt.Fprintf(&list, "| %s | %s | %s |\n", m.path, strings.Join(m.licences, ", "), strings.Join(m.programs, ", "))
	}
	return list.Bytes()
}

// writeTexts writes the texts of modules into one file. A module in two versions has its texts twice.
func writeTexts(file string, linked []linkedModule) error {
	var texts bytes.Buffer
	written := map[string]bool{}
	for _, m := range linked {
		for _, name := range m.files {
			title := fmt.Sprintf("%s %s: %s", m.path, m.version, name)
			if written[title] {
				continue
			}
			written[title] = true
			text, err := os.ReadFile(filepath.Join(m.dir, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(&texts, "%s\n%s\n\n%s\n\n", title, strings.Repeat("=", len(title)), bytes.TrimSpace(text))
		}
	}
	return os.WriteFile(file, texts.Bytes(), 0o644)
}
