package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindTests(t *testing.T) {
	tests, err := findTests("testdata/module")
	if err != nil {
		t.Fatal(err)
	}
	expected := []longTest{
		{"./a", "TestCases", []string{"it has many cases"}},
		{"./a", "TestClosure", []string{"it says why"}},
		{"./a", "TestHelper", []string{`"it " + what`}},
		{"./a", "TestValue", []string{"it is called as a value"}},
	}
	if diff := cmp.Diff(expected, tests, cmp.AllowUnexported(longTest{})); diff != "" {
		t.Errorf("-expected +got:\n%s", diff)
	}
	if pattern := formatPattern(tests); pattern != "^(TestCases|TestClosure|TestHelper|TestValue)$" {
		t.Errorf("the pattern is %s", pattern)
	}
}

func TestFindScripts(t *testing.T) {
	scripts, err := findScripts("testdata/script")
	if err != nil {
		t.Fatal(err)
	}
	expected := []longTest{{"script", "long", []string{"it builds a project"}}}
	if diff := cmp.Diff(expected, scripts, cmp.AllowUnexported(longTest{})); diff != "" {
		t.Errorf("-expected +got:\n%s", diff)
	}
}
