package cache

import (
	"io/fs"
	"sync/atomic"

	"github.com/opgen-dev/opgen/internal/parallel"
)

// Same reports whether a tree gives the same answers as those that were noted.
func Same(tree fs.FS, answers []Answer) bool {
	var changed atomic.Bool
	parallel.Each(len(answers), func(i int) {
		if !changed.Load() && askAgain(tree, answers[i].question) != answers[i].Digest {
			changed.Store(true)
		}
	})
	return !changed.Load()
}

// askAgain returns the current answer of a tree to a question.
func askAgain(tree fs.FS, q question) string {
	switch q.Ask {
	case askContent:
		return contentAnswer(fs.ReadFile(tree, q.Path))
	case askListing:
		return listingAnswer(fs.ReadDir(tree, q.Path))
	case askFileType:
		return describeFileType(fs.Stat(tree, q.Path))
	case askOwn:
		return describeFileType(fs.Lstat(tree, q.Path))
	case askTarget:
		return targetAnswer(fs.ReadLink(tree, q.Path))
	}
	return "an answer that nobody gives"
}
