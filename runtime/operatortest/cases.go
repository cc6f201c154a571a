package operatortest

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest/internal/diff"
)

// Case is one expectation of a Sync or Finalize function. Request and Response are the generated
// types of these names.
type Case[Request, Response any] struct {
	Name string
	// Given is the request: the parent, the children and related objects as
	// [operator.NewSnapshot] makes them, and the time in Now.
	Given Request
	// Expect is the whole response, as the functions of [operator.WhenApplied] leave it.
	// Empty lists and maps equal nil.
	Expect *Response
	// ExpectPart is a part of the response, in place of Expect: each field that is set in it is so.
	// Sets may have more children, children more fields, and lists more items, which are matched as
	// by [DiffSubset].
	ExpectPart *Response
	// Check, if set, looks at the response beside Expect and ExpectPart, or in place of them: for
	// what no expected value says, such as that two names differ.
	Check func(t testing.TB, got *Response)
	// NoneApplied says that no child is applied, as when the API server refuses each of
	// them. Otherwise all are; see [Applied].
	NoneApplied bool
	// ExpectError is a part of the error's text; empty means that no error is
	// expected. A response together with the error is expected only if Expect, ExpectPart or Check is
	// set.
	ExpectError string
}

// Run calls a Sync or Finalize function once for each case, in subtests, and reports how its
// responses differ from the expected ones.
func Run[Request, Response any](t *testing.T, function func(context.Context, *Request) (*Response, error), cases ...Case[Request, Response]) {
	t.Helper()
	for _, test := range cases {
		t.Run(test.Name, func(t *testing.T) {
			got, err := function(t.Context(), &test.Given)
			if !test.NoneApplied {
				Applied(got)
			}
			test.requireAnswer(t, got, err)
		})
	}
}

// requireAnswer fails the test if a function has not answered as expected.
func (c Case[Request, Response]) requireAnswer(t testing.TB, got *Response, err error) {
	t.Helper()
	switch {
	case err != nil && c.ExpectError == "":
		t.Fatalf("unexpected error: %v", err)
	case err == nil && c.ExpectError != "":
		t.Fatalf("no error, want one that says %q", c.ExpectError)
	case err != nil && !strings.Contains(err.Error(), c.ExpectError):
		t.Fatalf("error %q, want one that says %q", err, c.ExpectError)
	}
	if differences := c.compareResponse(t, got); differences != "" {
		t.Errorf("response (-expected +got):\n%s", differences)
	}
	if c.Check != nil {
		c.Check(t, got)
	}
}

// compareResponse describes how a response differs from the expected one.
func (c Case[Request, Response]) compareResponse(t testing.TB, got *Response) string {
	t.Helper()
	switch {
	case c.Expect != nil && c.ExpectPart != nil:
		t.Fatal("set Expect or ExpectPart, not both")
	case c.ExpectPart != nil:
		return diff.Part(c.ExpectPart, got)
	case c.Expect == nil && c.Check != nil:
		return ""
	case c.ExpectError != "" && c.Expect == nil && got != nil:
		t.Fatal("a response beside the error: what is set in it is written, so set Expect, too, or return nil")
	}
	return Diff(c.Expect, got)
}

// Applied calls the functions that a response has by [operator.WhenApplied], as the runtime does
// when every child is applied, and returns the response. It panics as they do.
func Applied[Response any](response *Response) *Response {
	fields := reflect.ValueOf(response)
	if response == nil || fields.Elem().Kind() != reflect.Struct {
		return response
	}
	children := reflect.Indirect(fields.Elem().FieldByName("Children"))
	if children.Kind() != reflect.Struct || !diff.TakesApart(children.Type()) {
		return response
	}
	for i := range children.NumField() {
		set, ok := children.Field(i).Interface().(diff.DesiredSet)
		if !ok {
			continue
		}
		for _, child := range set.Children() {
			callRecords(child, response)
		}
	}
	return response
}

// callRecords calls the functions of [operator.WhenApplied] of a child.
func callRecords(child operator.DesiredChild, response any) {
	for _, record := range child.WhenApplied {
		if err := record(response); err != nil {
			panic(err)
		}
	}
}
