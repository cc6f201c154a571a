package tree

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/opgen-dev/opgen/internal/spec"
)

const generated = "zz_generated.x.go"

func TestDiffDecides(t *testing.T) {
	listed := map[string]string{LockPath: lockOf(t, generated, "old\n")}
	planned := File{Path: generated, Content: []byte("new\n")}
	const template, made = "templates/a.md.tmpl", "docs/a.md"
	templated := File{Path: made, Content: []byte("new\n"), Template: template}
	listedMade := map[string]string{LockPath: lockOfTemplated(t, made, template, "old\n")}
	withMade := func(content string) map[string]string {
		return map[string]string{LockPath: listedMade[LockPath], made: content}
	}
	onceMade := templated
	onceMade.Owner = Once
	pending := map[string]string{LockPath: lockOfPending(t, "old\n", "between\n")} // an Apply was stopped that was to write between
	removing := map[string]string{LockPath: lockOfPending(t, "old\n", "")}
	once := File{Path: "x/sync.go", Content: []byte("new\n"), Owner: Once, Instead: func(name string) bool { return strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") }}
	tests := map[string]struct {
		tree   map[string]string
		plan   []File
		file   string
		want   Action
		reason string
		forced Action
	}{
		"absent":                            {plan: []File{planned}, file: generated, want: Create},
		"listed and deleted by hand":        {tree: listed, plan: []File{planned}, file: generated, want: Create},
		"listed and as it was":              {tree: withGenerated(listed, "old\n"), plan: []File{planned}, file: generated, want: Update},
		"listed, with Windows line endings": {tree: withGenerated(listed, "old\r\n"), plan: []File{planned}, file: generated, want: Update},
		"up to date":                        {tree: withGenerated(listed, "new\n"), plan: []File{planned}, file: generated, want: Unchanged},
		"up to date but for line endings":   {tree: withGenerated(listed, "new\r\n"), plan: []File{planned}, file: generated, want: Unchanged},
		"listed and edited": {
			tree: withGenerated(listed, "edited\n"), plan: []File{planned},
			file: generated, want: Conflict, reason: reasonEdited, forced: Update,
		},
		"not listed and different": {
			tree: map[string]string{generated: "theirs\n"}, plan: []File{planned},
			file: generated, want: Conflict, reason: reasonUnlisted, forced: Update,
		},
		"not listed and the same": {tree: map[string]string{generated: "new\n"}, plan: []File{planned}, file: generated, want: Unchanged},
		"stale":                   {tree: withGenerated(listed, "old\n"), file: generated, want: Remove},
		"stale and edited": {
			tree: withGenerated(listed, "edited\n"),
			file: generated, want: Conflict, reason: reasonEdited, forced: Remove,
		},
		"being replaced, as it was":        {tree: withGenerated(pending, "old\n"), plan: []File{planned}, file: generated, want: Update},
		"being replaced, as it is to be":   {tree: withGenerated(pending, "between\r\n"), plan: []File{planned}, file: generated, want: Update},
		"being replaced, and up to date":   {tree: withGenerated(pending, "new\n"), plan: []File{planned}, file: generated, want: Unchanged},
		"being replaced, and now stale":    {tree: withGenerated(pending, "between\n"), file: generated, want: Remove},
		"being removed":                    {tree: withGenerated(removing, "old\n"), file: generated, want: Remove},
		"being removed, and removed":       {tree: removing, file: generated},
		"being removed, and planned again": {tree: withGenerated(removing, "old\n"), plan: []File{planned}, file: generated, want: Update},
		"being replaced, and edited": {
			tree: withGenerated(pending, "edited\n"), plan: []File{planned},
			file: generated, want: Conflict, reason: reasonEdited, forced: Update,
		},
		"being removed, and edited": {
			tree: withGenerated(removing, "edited\n"),
			file: generated, want: Conflict, reason: reasonEdited, forced: Remove,
		},
		"from a template, absent":                       {plan: []File{templated}, file: made, want: Create},
		"from a template, as it was":                    {tree: withMade("old\n"), plan: []File{templated}, file: made, want: Update},
		"from a template, as it was, with Windows ends": {tree: withMade("old\r\n"), plan: []File{templated}, file: made, want: Update},
		"from a template, up to date":                   {tree: withMade("new\n"), plan: []File{templated}, file: made, want: Unchanged},
		"from a template, edited": {
			tree: withMade("edited\n"), plan: []File{templated},
			file: made, want: Conflict, reason: reasonEdited + ", from " + template, forced: Update,
		},
		"from a template, not listed and different": {
			tree: map[string]string{made: "theirs\n"}, plan: []File{templated},
			file: made, want: Conflict, reason: reasonUnlisted + ", from " + template, forced: Update,
		},
		"from a template, not listed and the same": {tree: map[string]string{made: "new\n"}, plan: []File{templated}, file: made, want: Unchanged},
		"from no template any more":                {tree: withMade("old\n"), file: made, want: Remove},
		"from no template any more, and edited": {
			tree: withMade("edited\n"),
			file: made, want: Conflict, reason: reasonEdited + ", from " + template, forced: Remove,
		},
		"from no template any more, and gone":      {tree: listedMade, file: made},
		"from a template, now once":                {tree: withMade("old\n"), plan: []File{onceMade}, file: made, want: Keep},
		"from a template, now once, and edited":    {tree: withMade("edited\n"), plan: []File{onceMade}, file: made, want: Keep},
		"from a template, now one of opgen's own":  {tree: withMade("old\n"), plan: []File{{Path: made, Content: []byte("new\n"), Owner: Once}}, file: made, want: Keep},
		"from a template, now in other upper case": {tree: withMade("old\n"), plan: []File{{Path: "DOCS/a.md", Owner: Once}}, file: made},
		"once and absent":                          {plan: []File{once}, file: once.Path, want: Create},
		"once and edited":                          {tree: map[string]string{once.Path: "yours"}, plan: []File{once}, file: once.Path, want: Keep},
		"once and renamed":                         {tree: map[string]string{"x/reconciler.go": "yours"}, plan: []File{once}, file: once.Path, want: Keep},
		"once, beside a generated file":            {tree: map[string]string{"x/zz_generated.y.go": ""}, plan: []File{once}, file: once.Path, want: Create},
		"once, beside a test only":                 {tree: map[string]string{"x/sync_test.go": "yours"}, plan: []File{once}, file: once.Path, want: Create},
		"another generator's, unplanned":           {tree: map[string]string{generated: "theirs"}, file: generated},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := diffOf(t, test.tree, test.plan)
			change := find(got.List(), test.file)
			if change.Action != test.want || change.Reason != test.reason {
				t.Errorf("got %q (%s), want %q (%s)", change.Action, change.Reason, test.want, test.reason)
			}
			if test.forced == "" {
				return
			}
			if forced := find(got.Force().List(), test.file).Action; forced != test.forced {
				t.Errorf("with force: got %q, want %q", forced, test.forced)
			}
			if err := got.Apply(t.TempDir()); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), test.file) {
				t.Errorf("Apply: got %v, want a conflict about %s", err, test.file)
			}
		})
	}
}

func TestDiffRemovesWhatIsDropped(t *testing.T) {
	set, err := NewFileSet(Lock{Version: "v1.0.0"}, nil, []string{"api/a.yaml", "api/absent.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	changes, err := diffWith(set, treeOf(map[string]string{"api/a.yaml": "kind: API", "api/b.yaml": "kind: API"}))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes.Pending() {
		got = append(got, string(c.Action)+" "+c.Path)
	}
	if diff := cmp.Diff([]string{"remove api/a.yaml", "create opgen.lock"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDiffSaysWhatIsInTheWay(t *testing.T) {
	files := []File{{Path: "x/zz_generated.y.go"}, {Path: "x/sync.go", Owner: Once}}
	tests := map[string]struct {
		tree fstest.MapFS
		want string
	}{
		"a folder in place of a file":  {fstest.MapFS{"x/zz_generated.y.go/z": {}}, "x/zz_generated.y.go"},
		"a link in place of a file":    {fstest.MapFS{"x/zz_generated.y.go": {Mode: fs.ModeSymlink}}, "x/zz_generated.y.go"},
		"a file in place of a folder":  {fstest.MapFS{"x": {}}, "x"},
		"a folder in place of a lock":  {fstest.MapFS{"opgen.lock/z": {}}, "opgen.lock"},
		"nothing, since all is absent": {fstest.MapFS{}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			set, err := NewFileSet(Lock{Version: "v1.0.0"}, files, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = diffWith(set, test.tree)
			var problems spec.Problems
			if errors.As(err, &problems) != (test.want != "") {
				t.Fatalf("got %v, want a problem about %q", err, test.want)
			}
			if test.want != "" && (problems[0].Pos.File != test.want || problems[0].Hint == "") {
				t.Errorf("got %v, want a problem about %q with a hint", err, test.want)
			}
		})
	}
}

func TestFileSetRefusesWhatIsNoTree(t *testing.T) {
	tests := map[string][]File{
		"outside":               {{Path: "../zz_generated.go"}},
		"absolute":              {{Path: "/zz_generated.go"}},
		"another separator":     {{Path: `a\zz_generated.go`}},
		"twice":                 {{Path: "main.go", Owner: Once}, {Path: "main.go", Owner: Once}},
		"generated, not listed": {{Path: "main.go"}},
	}
	for name, files := range tests {
		t.Run(name, func(t *testing.T) {
			if _, err := NewFileSet(Lock{Version: "v1.0.0"}, files, nil); err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestChangeShowsItsDiff(t *testing.T) {
	tests := map[string]struct {
		change Change
		want   []string
	}{
		"create":    {Change{Path: "a", Action: Create, New: []byte("x\n")}, []string{"--- /dev/null", "+++ b/a", "+x"}},
		"update":    {Change{Path: "a", Action: Update, Old: []byte("x\n"), New: []byte("y\n")}, []string{"--- a/a", "+++ b/a", "-x", "+y"}},
		"remove":    {Change{Path: "a", Action: Remove, Old: []byte("x\n")}, []string{"--- a/a", "+++ /dev/null", "-x"}},
		"unchanged": {Change{Path: "a", Action: Unchanged, Old: []byte("x\r\n"), New: []byte("x\n")}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := string(test.change.Diff())
			if test.want == nil && got != "" {
				t.Errorf("got %q, want nothing", got)
			}
			for _, line := range test.want {
				if !strings.Contains(got, line+"\n") {
					t.Errorf("no line %q in:\n%s", line, got)
				}
			}
		})
	}
}

func diffOf(t *testing.T, tree map[string]string, files []File) *Changes {
	t.Helper()
	set, err := NewFileSet(Lock{Version: "v1.0.0"}, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := diffWith(set, treeOf(tree))
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

// diffWith compares a set with a tree and its lock.
func diffWith(set *FileSet, tree fs.FS) (*Changes, error) {
	if err := CheckLockVersion(tree, set.lock.Version); err != nil {
		return nil, err
	}
	lock, err := ReadLock(tree)
	if err != nil {
		return nil, err
	}
	return set.Diff(tree, lock)
}

func treeOf(files map[string]string) fstest.MapFS {
	tree := fstest.MapFS{}
	for path, content := range files {
		tree[path] = &fstest.MapFile{Data: []byte(content), Mode: 0o644}
	}
	return tree
}

// withGenerated returns the files and the generated one.
func withGenerated(files map[string]string, content string) map[string]string {
	more := map[string]string{generated: content}
	for p, c := range files {
		more[p] = c
	}
	return more
}

func find(changes []Change, path string) Change {
	for _, c := range changes {
		if c.Path == path {
			return c
		}
	}
	return Change{}
}
