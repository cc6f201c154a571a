package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/opgen-dev/opgen/runtime/operatortest/internal/requests"
)

var (
	errByFault = errors.New("a fault that the test has injected")
	errDead    = errors.New("the operator has crashed")
	errLost    = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
)

// newRefusal returns the API server's refusal of a request.
func newRefusal(request *http.Request, made requests.Request, what What) *http.Response {
	status := refusalStatus(made, what)
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	body, _ := json.Marshal(status) // a status can always be encoded
	header := http.Header{"Content-Type": {"application/json"}}
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		header.Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	code := int(status.Code)
	return &http.Response{
		StatusCode: code, Status: strconv.Itoa(code) + " " + http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Request: request, Header: header, ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
	}
}

func refusalStatus(made requests.Request, what What) metav1.Status {
	plural, _, _ := strings.Cut(made.Resource, "/")
	resource := schema.GroupResource{Resource: plural}
	switch what {
	case RefuseForbidden:
		return apierrors.NewForbidden(resource, made.Name, errByFault).ErrStatus
	case RefuseNotFound:
		return apierrors.NewNotFound(resource, made.Name).ErrStatus
	case RefuseConflict:
		return apierrors.NewConflict(resource, made.Name, errByFault).ErrStatus
	case RefuseInvalid:
		return metav1.Status{
			Status: metav1.StatusFailure, Code: http.StatusUnprocessableEntity, Reason: metav1.StatusReasonInvalid,
			Message: plural + " " + strconv.Quote(made.Name) + " is forbidden: " + errByFault.Error(),
			Details: &metav1.StatusDetails{Name: made.Name, Kind: plural, Causes: []metav1.StatusCause{{Message: errByFault.Error()}}},
		}
	case RefuseInvalidField:
		causes := field.ErrorList{field.Invalid(field.NewPath("spec"), "", errByFault.Error())}
		return apierrors.NewInvalid(schema.GroupKind{Kind: plural}, made.Name, causes).ErrStatus
	case RefuseTooManyRequests:
		return apierrors.NewTooManyRequests(errByFault.Error(), 1).ErrStatus
	case RefuseUnavailable:
		return apierrors.NewServiceUnavailable(errByFault.Error()).ErrStatus
	}
	return apierrors.NewInternalError(errByFault).ErrStatus
}
