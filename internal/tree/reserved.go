package tree

import (
	"path"
	"slices"
	"strings"

	"github.com/opgen-dev/opgen/internal/lazyregexp"
)

// FoldCase returns a path as those file systems see it that tell the fewest names apart: it is in lower case, and has
// neither what Windows drops from the end of a name, nor the stream of a file on NTFS, nor characters that HFS+ ignores.
func FoldCase(file string) string {
	elements := strings.Split(path.Clean(strings.ReplaceAll(file, `\`, "/")), "/")
	for i, element := range elements {
		elements[i] = foldElement(element)
	}
	return strings.Join(elements, "/")
}

func foldElement(element string) string {
	if strings.Trim(element, ".") == "" {
		return element
	}
	element = strings.Map(func(r rune) rune {
		if isIgnored(r) {
			return -1
		}
		return r
	}, element)
	element, _, _ = strings.Cut(element, ":")
	return strings.ToLower(strings.ToUpper(strings.TrimRight(element, " ."))) // some letters, such as ſ, only have an upper case
}

// isIgnored reports whether HFS+ ignores a character in names. The list is that of git, next_hfs_char of its utf8.c.
func isIgnored(r rune) bool {
	return r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff
}

// ReservedPath returns what a path is if no template of any project may have it, and otherwise "".
func ReservedPath(file string) string {
	folded := FoldCase(file)
	first, _, _ := strings.Cut(folded, "/")
	switch {
	case isOfGit(file):
		return "git's"
	case folded == "opgen.yaml" || folded == LockPath:
		return "opgen's"
	case specFile().MatchString(folded):
		return "where spec files are"
	case first == stagingFolder:
		return "where opgen stages files"
	case shortName().MatchString(folded):
		return "the short name that Windows gives to another file"
	}
	return ""
}

// isOfGit reports whether git reads a file as one of its own, on any system, and so may run what the file says. The names
// of .git are those that git refuses in a repository: verify_path of its read-cache.c. A folder with a file HEAD is a
// repository as well, without any .git, if it has the folders objects and refs.
func isOfGit(file string) bool {
	elements := strings.Split(FoldCase(file), "/")
	return slices.ContainsFunc(elements, func(element string) bool { return gitFolder().MatchString(element) }) ||
		elements[len(elements)-1] == "head"
}

var (
	specFile  = lazyregexp.New(`^(api|controllers)/[^/]*\.ya?ml$`)
	gitFolder = lazyregexp.New(`^(\.git|git~[0-9]+)$`)
	shortName = lazyregexp.New(`(^|/)[^/.]*~[0-9]+(\.[^/]*)?(/|$)`)
)
