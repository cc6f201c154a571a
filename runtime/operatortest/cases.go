package operatortest

import (
	"context"
	"reflect"
	"strings"
	"testing"

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
	// NoneApplied says that no child is applied, as when the API server refuses each of
	// them. Otherwise all are; see [Applied].
	NoneApplied bool
	// ExpectError is a part of the error's text; empty means that no error is
	// expected. A response together with the error is expected only if Expect or ExpectPart is set.
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
			switch {
			case err != nil && test.ExpectError == "":
				t.Fatalf("unexpected error: %v", err)
			case err == nil && test.ExpectError != "":
				t.Fatalf("no error, want one that says %q", test.ExpectError)
			case err != nil && !strings.Contains(err.Error(), test.ExpectError):
				t.Fatalf("error %q, want one that says %q", err, test.ExpectError)
			}
			test.requireResponse(t, got)
		})
	}
}

// requireResponse fails the test if the response is not the expected one.
func (c Case[Request, Response]) requireResponse(t *testing.T, got *Response) {
	t.Helper()
	differences := ""
	switch {
	case c.Expect != nil && c.ExpectPart != nil:
		t.Fatal("set Expect or ExpectPart, not both")
	case c.ExpectPart != nil:
		differences = diff.Part(c.ExpectPart, got)
	case c.ExpectError != "" && c.Expect == nil && got != nil:
		t.Fatal("a response beside the error: what is set in it is written, so set Expect, too, or return nil")
	default:
		differences = Diff(c.Expect, got)
	}
	if differences != "" {
		t.Errorf("response (-expected +got):\n%s", differences)
	}
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
			for _, record := range child.WhenApplied {
				if err := record(response); err != nil {
					panic(err)
				}
			}
		}
	}
	return response
}
