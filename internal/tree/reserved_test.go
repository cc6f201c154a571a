package tree

import "testing"

// TestReservedPath has each way to write a path that git, opgen or the file system of some system takes for one of git's
// or of opgen's.
func TestReservedPath(t *testing.T) {
	reserved := map[string][]string{
		"in the first element":          {".git/config", ".git", ".git/hooks/post-checkout"},
		"in another element":            {"docs/.git/config", "a/b/.git/x", "docs/.git"},
		"in another case":               {".GIT/config", "docs/.Git/config", "docs/.gıt/config"},
		"before what Windows drops":     {".git /config", ".git./config", ".git . ./config", "docs/.git  /config"},
		"by its short name":             {"git~1/hooks/post-checkout", "GIT~1/config", "docs/git~2/config", "git~10 /config"},
		"by a stream of NTFS":           {".git::$INDEX_ALLOCATION/config", ".git:x", "docs/git~1:x/config", ".git ::$DATA"},
		"with what HFS+ ignores":        {".g\u200cit/config", "docs/\u200d.git/config", ".git\ufeff/config", ".g\u202ai\u206ft/x", "docs/g\u200ei\u206at~1/x"},
		"with the separator of Windows": {`.git\config`, `docs\.git\config`},
		"a repository without .git":     {"docs/HEAD", "HEAD", "docs/head", "docs/HEAD .", "docs/HEAD:x"},
		"opgen's own":                   {"opgen.yaml", "OPGEN.LOCK", "opgen.lock.", "opgen.yaml ", "opgen.loc\u212a", "opgen.lock::$DATA"},
		"short names":                   {"OPGEN~1.YAM", "opgen~2.loc", "contro~1/a.yaml", "docs/readme~1.md"},
		"spec files":                    {"api/a.yaml", "API/a.YML", "controllers/a.yaml", "controller\u017f/a.yaml", "api./a.yaml", "api /a.yaml "},
		"staged files":                  {".opgen-apply/0", ".OPGEN-APPLY /0"},
	}
	for way, paths := range reserved {
		for _, file := range paths {
			if ReservedPath(file) == "" {
				t.Errorf("%s: %q is free", way, file)
			}
		}
	}
	for _, file := range []string{
		".github/workflows/ci.yaml", ".gitignore", "docs/.gitattributes", ".gitmodules", "git/config", "docs/a.git", "docs/a~b", "docs/a~",
		"docs/api/a.yaml", "docs/opgen.yaml", "HEADER", "docs/head.md", "docs/ahead", "docs/ä.md",
	} {
		if reason := ReservedPath(file); reason != "" {
			t.Errorf("%q is %s", file, reason)
		}
	}
}
