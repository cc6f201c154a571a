package project

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/opgen-dev/opgen/internal/parallel"
	"github.com/opgen-dev/opgen/internal/scaffold"
	"github.com/opgen-dev/opgen/internal/spec"
	"github.com/opgen-dev/opgen/internal/warnings"
)

// Known is what a run of opgen found out about parts of a project, for the next run.
type Known struct {
	Parts scaffold.Known        `json:"parts"`
	APIs  map[string]CheckedAPI `json:"apis"` // by the digest of the file
	// MaxDescLen is that of the project when the APIs were checked: warnings depend on it.
	MaxDescLen int64 `json:"maxDescLen"`
}

// CheckedAPI is an API whose file has no errors.
type CheckedAPI struct {
	Summary  *spec.Summary `json:"summary"`
	Warnings spec.Problems `json:"warnings,omitempty"`
}

// digestOfFiles returns the digest of spec files with their names.
func digestOfFiles(files []SpecFile) string {
	all := sha256.New()
	for _, f := range files {
		fmt.Fprintf(all, "%q %d\n", f.Name, len(f.Data))
		all.Write(f.Data)
	}
	return hex.EncodeToString(all.Sum(nil))
}

// Warnings returns the warnings about the spec files.
func (p *Project) Warnings() spec.Problems {
	var all spec.Problems
	for _, found := range p.apiWarnings() {
		all = append(all, found...)
	}
	known := scaffold.Summaries(p.APIs)
	all = append(all, warnings.OfControllers(p.Controllers)...)
	return append(all, warnings.OfReadiness(known, known, p.Controllers)...).Sorted()
}

// apiWarnings returns the warnings about each API, those of an earlier run where it is known.
func (p *Project) apiWarnings() []spec.Problems {
	if p.warned != nil {
		return p.warned
	}
	found := make([]spec.Problems, len(p.APIs))
	parallel.Each(len(p.APIs), func(i int) {
		if known, isKnown := p.known.APIs[p.APIs[i].Digest]; isKnown && p.known.MaxDescLen == p.Spec.MaxDescLen {
			found[i] = known.Warnings
			return
		}
		found[i] = warnings.Of([]*spec.API{p.APIs[i].Read()}, p.Spec.MaxDescLen)
	})
	p.warned = found
	return found
}

// collectKnown returns what the next run can know, given what it can know of the parts.
func (p *Project) collectKnown(parts scaffold.Known) Known {
	known := Known{Parts: parts, APIs: map[string]CheckedAPI{}, MaxDescLen: p.Spec.MaxDescLen}
	for i, found := range p.apiWarnings() {
		if api := p.APIs[i]; api.Digest != "" {
			known.APIs[api.Digest] = CheckedAPI{api.Summary, found}
		}
	}
	return known
}
