package operator_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/opgen-dev/opgen/runtime/operator"
)

func TestNothingDependsOnAPasswordThatIsNotStored(t *testing.T) {
	s, password := startSecured(t)
	if len(password) != 24 {
		t.Errorf("the password is %q", password)
	}
	s.expectRequests(0,
		"create secrets auth: 201",
		"patch sites/status web: 200",
		"create configmaps app: 201",
		"create services web: 201",
		"patch sites/status web: 200",
	)
	if told := s.revisions(); len(told) != 2 || told[0] != "none" {
		t.Errorf("Sync was told %v", told)
	}
	before := s.Settled()
	s.reconcile()
	s.Restart()
	s.running()
	s.expectRequests(before)
}

func TestAnotherTokenHasAnotherPasswordGenerated(t *testing.T) {
	t.Parallel()
	for when, during := range map[string]func(s securedSite, edit func()){
		"running":               func(_ securedSite, edit func()) { edit() },
		"down":                  func(s securedSite, edit func()) { s.Stop(); edit(); s.Restart() },
		"lost":                  func(s securedSite, edit func()) { s.strike("patch secrets 1 after lost"); edit() },
		"crash":                 func(s securedSite, edit func()) { s.strike("patch secrets 1 after crash"); edit() },
		"crash before":          func(s securedSite, edit func()) { s.strike("patch secrets 1 before crash"); edit() },
		"with caches of before": func(s securedSite, edit func()) { s.strike("patch secrets 1 after travel"); edit() },
	} {
		t.Run(when, func(t *testing.T) {
			s, password := startSecured(t)
			writes := s.writesOfApp()
			during(s, func() { s.text("rotate") })
			s.Eventually("the password is another one", func() error {
				if s.password() == password {
					return errors.New("it is the same")
				}
				return nil
			})
			s.running()
			if told := s.revisions(); len(told) < 3 || told[2] == told[1] || slices.Contains(told[1:], "none") || told[len(told)-1] != told[2] {
				t.Errorf("Sync was told %v", told)
			}
			if s.writesOfApp() != writes+1 || len(s.password()) != 24 {
				t.Errorf("what depends on the password was written %d times", s.writesOfApp()-writes)
			}
			rotated := s.password()
			s.Restart()
			s.running()
			if s.password() != rotated {
				t.Error("the password has changed once more")
			}
		})
	}
}

func TestGeneratedValuesThatCannotBe(t *testing.T) {
	generate := operator.Generate("password", operator.Random(24), "")
	f := start(t, &author{sync: desire(func(*Desired) {})})
	for name, test := range map[string]struct {
		add  func(want *Desired)
		says string
	}{
		"of another kind":          {func(want *Desired) { want.ConfigMaps.Add(configMap("auth", ""), generate) }, "ConfigMap %s/auth: only Secrets have generated values"},
		"in a recreated Secret":    {func(want *Desired) { want.Secrets.Add(named(&corev1.Secret{}, "auth"), generate, operator.Recreate) }, "Secret %s/auth: generated values need a Secret that is changed in place"},
		"in one that is only made": {func(want *Desired) { want.Secrets.Add(named(&corev1.Secret{}, "auth"), generate, operator.CreateOnly) }, "Secret %s/auth: generated values need a Secret that is changed in place"},
		"set, too": {func(want *Desired) {
			want.Secrets.Add(named(&corev1.Secret{StringData: map[string]string{"password": "x"}}, "auth"), generate)
		}, `Secret %s/auth: the value of "password" is generated, and set, too`},
		"twice": {func(want *Desired) { want.Secrets.Add(named(&corev1.Secret{}, "auth"), generate, generate) }, `Secret %s/auth: the value of "password" is generated twice`},
		"empty": {func(want *Desired) {
			want.Secrets.Add(named(&corev1.Secret{}, "auth"), operator.Generate("password", 0, ""))
		}, `Secret %s/auth: the generated value of "password" needs a length`},
	} {
		f.setSync(desire(test.add))
		f.reconcile()
		ready := meta.FindStatusCondition(f.status("Ready", "InvalidChild").Conditions, "Ready")
		if !strings.HasPrefix(ready.Message, fmt.Sprintf(test.says, f.Namespace)) {
			t.Errorf("%s: Ready says %q", name, ready.Message)
		}
		f.lacking(named(&corev1.Secret{}, "auth"))
	}
}

// A dry run generates a value, too. It is another one each time, and nobody sees it.
func TestObserverReportsARotationOnceAndWritesNothing(t *testing.T) {
	generate := func(token string) Function {
		return desire(func(want *Desired) {
			want.Secrets.Add(named(&corev1.Secret{}, "auth"), operator.Generate("password", operator.Random(24), token))
			want.Secrets.Add(named(&corev1.Secret{}, token), operator.Generate("password", operator.Random(24), ""))
		})
	}
	f := start(t, &author{sync: generate("first")})
	f.status("Ready", "Ready")
	s := securedSite{fixture: f}
	password := s.password()
	f.Stop()
	o := f.observe(&author{sync: generate("second")})
	o.says(1, "patch", "Secret", "auth")
	o.says(1, "create", "Secret", "second")
	for _, token := range []string{"again", "and again"} {
		f.touchSite(token)
		o.wroteNothing()
	}
	o.says(1, "patch", "Secret", "auth")
	o.says(1, "create", "Secret", "second")
	if s.password() != password || o.log.count(password) > 0 || o.log.count("data.password") == 0 {
		t.Errorf("the Secret was written: %v; the log says\n%s", s.password() != password, o.log.String())
	}
}
