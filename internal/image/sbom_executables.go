package image

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"
)

// ListModules returns a software bill of materials of executables without an image, in SPDX 2.3 as JSON: the Go modules
// that the go command recorded in each of them. tool is what the document names as its creator. It returns an error
// for a file that is no executable of Go.
func ListModules(name, tool string, created time.Time, executables ...string) ([]byte, error) {
	b := bill{ids: map[string]common.ElementID{}}
	b.SPDXVersion, b.DataLicense, b.SPDXIdentifier = spdx.Version, spdx.DataLicense, "DOCUMENT"
	b.DocumentName = name
	b.CreationInfo = &spdx.CreationInfo{
		Created: created.Format(time.RFC3339), Creators: []common.Creator{{CreatorType: "Tool", Creator: tool}},
	}
	contents := sha256.New()
	for _, executable := range executables {
		build, err := buildinfo.ReadFile(executable)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", executable, err)
		}
		fmt.Fprintln(contents, build)
		b.addModules("DOCUMENT", build)
	}
	b.DocumentNamespace = fmt.Sprintf("https://spdx.org/spdxdocs/%s-%x", name, contents.Sum(nil)[:16])
	document, err := json.MarshalIndent(b.Document, "", " ")
	return append(document, '\n'), err
}
