package cluster

// Phase is what a Build or an Up is doing.
type Phase string

// The phases, in the order in which they can occur.
const (
	PhaseWaiting     Phase = "waiting for another build"
	PhaseDownloading Phase = "downloading modules"
	PhaseCompiling   Phase = "compiling"
	PhaseLinking     Phase = "linking"
	PhaseStarting    Phase = "starting"
)

// Progress is a report about a step that takes long.
type Progress struct {
	Phase Phase
	What  string // that is built, such as "Kubernetes v1.36.3"
	Done  int    // packages compiled, or modules downloaded, so far
	Total int    // packages to compile; 0 when not known
}

// ProgressFunc receives reports, one at a time. It should return quickly, because there are many.
// Nil discards them.
type ProgressFunc func(Progress)

func (f ProgressFunc) report(p Progress) {
	if f != nil {
		f(p)
	}
}
