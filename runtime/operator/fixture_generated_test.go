package operator_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

// secured is an author whose ConfigMap depends on a generated password. The Site's text is the token.
type secured struct {
	author
	mu      sync.Mutex
	told    []string // the revisions that Sync got, without repetitions; "none" where it got none
	options []operator.ChildOption
}

func (s *secured) sync(_ context.Context, req *Request) (*Response, error) {
	want := new(Desired)
	options := append([]operator.ChildOption{operator.Generate("password", operator.Random(24), req.Parent.Spec.Text)}, s.options...)
	want.Secrets.Add(named(&corev1.Secret{StringData: map[string]string{"user": "ann"}}, "auth"), options...)
	password, ok := req.Children.Secrets.Generated("auth", "password")
	revision := "none"
	if ok {
		revision = password.Revision
	}
	s.mu.Lock()
	if len(s.told) == 0 || s.told[len(s.told)-1] != revision {
		s.told = append(s.told, revision)
	}
	s.mu.Unlock()
	if !ok {
		return &Response{Children: want, KeepAll: true, Status: &testapi.Status{Phase: "Waiting"}}, nil
	}
	want.ConfigMaps.Add(configMap("app", password.Revision))
	want.Services.Add(service("web"))
	return &Response{Children: want, Status: &testapi.Status{Phase: "Running"}}, nil
}

// securedSite is a Site with a generated password.
type securedSite struct {
	*fixture
	author *secured
}

func startSecured(t *testing.T, options ...operator.ChildOption) (s securedSite, password string) {
	t.Helper()
	s.author = &secured{options: options}
	s.author.author.sync = s.author.sync
	s.fixture = start(t, &s.author.author)
	s.running()
	return s, s.password()
}

// running waits until the ConfigMap has the revision that Sync was told last, and nothing is left to do.
func (s securedSite) running() {
	s.t.Helper()
	s.Eventually("the Site runs", func() error {
		if s.Get(s.site); s.site.Status.Phase != "Running" || s.site.Status.ObservedGeneration != s.site.Generation {
			return errors.New("it is " + s.site.Status.Phase)
		}
		return nil
	})
	s.status("Ready", "Ready")
	s.Converged(s.site)
	told := s.revisions()
	s.Matches(configMap("app", told[len(told)-1]))
}

func (s securedSite) revisions() []string {
	s.author.mu.Lock()
	defer s.author.mu.Unlock()
	return append([]string(nil), s.author.told...)
}

// password returns the stored password.
func (s securedSite) password() string {
	s.t.Helper()
	secret := named(&corev1.Secret{}, "auth")
	if !s.Get(secret) {
		s.t.Fatal("there is no Secret")
	}
	return string(secret.Data["password"])
}

// writesOfApp counts the writes of what depends on the password.
func (s securedSite) writesOfApp() (n int) {
	for _, request := range s.Writes() {
		if strings.Contains(request.String(), "configmaps app: 20") {
			n++
		}
	}
	return n
}

// strike injects a fault, which must strike before the test ends.
func (s securedSite) strike(line string) {
	s.t.Helper()
	fault, err := operatortest.ParseFault(line)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Inject(fault)
	s.t.Cleanup(func() {
		if !s.t.Failed() && s.Struck(fault) == 0 {
			s.t.Errorf("%s never struck", line)
		}
	})
}
