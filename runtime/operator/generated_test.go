package operator_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

func TestGeneratedPasswordSurvivesFaults(t *testing.T) {
	for _, line := range []string{
		"create secrets 1 before lost", "create secrets 1 after lost", "create secrets 1 after crash", "create secrets 1 after travel",
		"create secrets 1 instead 500 once", "create secrets 1 instead 403 once",
		"patch sites/status 1 before crash", "patch sites/status 1 after crash", "create configmaps 1 before crash", "create configmaps 1 after travel", "write any 2 before late",
	} {
		t.Run(line, func(t *testing.T) {
			s := securedSite{author: new(secured)}
			s.author.author.sync = s.author.sync
			s.fixture = prepare(t, &s.author.author)
			fault, err := operatortest.ParseFault(line)
			if err != nil {
				t.Fatal(err)
			}
			s.Inject(fault)
			s.Create(s.site)
			s.Eventually("the Secret is there", func() error {
				if !s.Get(named(&corev1.Secret{}, "auth")) {
					return errors.New("it is not")
				}
				return nil
			})
			first := s.password()
			s.running()
			if s.Struck(fault) == 0 {
				t.Error("the fault never struck")
			}
			if s.password() != first || s.writesOfApp() != 1 {
				t.Errorf("the password has changed: %v; what depends on it was written %d times", s.password() != first, s.writesOfApp())
			}
		})
	}
}

// What somebody does to the Secret changes no password, and nothing that depends on it.
func TestGeneratedPasswordSurvivesEdits(t *testing.T) {
	group := testapi.Version.Group + "/"
	for name, edit := range map[string]func(*corev1.Secret){
		"the label is stripped":           func(secret *corev1.Secret) { delete(secret.Labels, group+"site") },
		"the owner reference is stripped": func(secret *corev1.Secret) { secret.OwnerReferences = nil },
		"the tokens are stripped":         func(secret *corev1.Secret) { delete(secret.Annotations, group+"generated") },
		"all annotations are stripped":    func(secret *corev1.Secret) { secret.Annotations = nil },
		"label and annotations are gone":  func(secret *corev1.Secret) { secret.Labels, secret.Annotations = nil, nil },
		"the token is another one":        func(secret *corev1.Secret) { secret.Annotations[group+"generated"] = `{"password":"theirs"}` },
		"another key is added":            func(secret *corev1.Secret) { secret.Data["extra"] = []byte("x") },
		"a key of the author is emptied":  func(secret *corev1.Secret) { secret.Data["user"] = nil },
		"a label of somebody's is added":  func(secret *corev1.Secret) { metav1.SetMetaDataLabel(&secret.ObjectMeta, "a", "b") },
		"the managedFields are wiped":     func(secret *corev1.Secret) { secret.ManagedFields = []metav1.ManagedFieldsEntry{{}} },
		"it has a finalizer of somebody's": func(secret *corev1.Secret) {
			secret.Finalizers = append(secret.Finalizers, "test.opgen.dev/someone-elses")
		},
	} {
		for when, during := range map[string]func(s securedSite, edit func()){
			"running": func(_ securedSite, edit func()) { edit() },
			"down":    func(s securedSite, edit func()) { s.Stop(); edit(); s.Restart() },
		} {
			if when == "down" && !strings.Contains(name, "stripped") && !strings.Contains(name, "token") {
				continue
			}
			t.Run(name+", "+when, func(t *testing.T) {
				s, password := startSecured(t)
				writes := s.writesOfApp()
				secret := named(&corev1.Secret{}, "auth")
				during(s, func() { s.Update(secret, func() { edit(secret) }) })
				s.running()
				if s.password() != password || s.writesOfApp() != writes {
					t.Errorf("the password has changed: %v; what depends on it was written %d times", s.password() != password, s.writesOfApp()-writes)
				}
				if told := s.revisions(); told[len(told)-1] != told[1] {
					t.Errorf("Sync was told %v", told)
				}
				s.Matches(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "auth", Annotations: map[string]string{group + "generated": `{"password":"hello"}`}}, Data: map[string][]byte{"user": []byte("ann")}})
				s.Update(secret, func() { secret.Finalizers = nil })
			})
		}
	}
}

func TestAnotherTokenHasAnotherPasswordGenerated(t *testing.T) {
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

// A password that somebody has deleted is gone. Sync is told of it, and of the next one.
func TestSyncIsToldOfASecretThatWasDeleted(t *testing.T) {
	for when, during := range map[string]func(s securedSite, edit func()){
		"running": func(_ securedSite, edit func()) { edit() },
		"down":    func(s securedSite, edit func()) { s.Stop(); edit(); s.Restart() },
	} {
		t.Run(when, func(t *testing.T) {
			s, password := startSecured(t)
			during(s, func() { s.Delete(named(&corev1.Secret{}, "auth")) })
			s.Exists(named(&corev1.Secret{}, "auth"))
			s.running()
			told := s.revisions()
			if s.password() == password || len(told) != 4 || told[2] != "none" || told[3] == told[1] {
				t.Errorf("the password is the same: %v; Sync was told %v", s.password() == password, told)
			}
		})
	}
}

// A password that is emptied is no rotation, but an error that a person ends.
func TestPasswordThatIsGoneWaitsForAPerson(t *testing.T) {
	s, password := startSecured(t)
	writes, secret := s.writesOfApp(), named(&corev1.Secret{}, "auth")
	s.Stop()
	s.Update(secret, func() { secret.Data = nil })
	s.Restart()
	ready := meta.FindStatusCondition(s.status("Ready", "ValueGone").Conditions, "Ready")
	if !strings.Contains(ready.Message, "Secret "+s.Namespace+`/auth: the generated value of "password" is gone`) {
		t.Errorf("Ready says %q", ready.Message)
	}
	s.Exists(configMap("app", ""), service("web"))
	s.WritesAtMost(2, 2e9)
	s.Update(secret, func() { secret.Data = map[string][]byte{"password": []byte(password)} })
	s.running()
	if s.writesOfApp() != writes || s.password() != password {
		t.Errorf("what depends on the password was written %d times", s.writesOfApp()-writes)
	}
	s.Update(secret, func() { delete(secret.Data, "password") })
	s.status("Ready", "ValueGone")
	s.text("rotate")
	s.running()
	if next := s.password(); next == password || len(next) != 24 {
		t.Errorf("the password is %q", next)
	}
}

// Another controller that takes the Secret away takes no password with it.
func TestSecretOfAnotherOwnerIsLeftAlone(t *testing.T) {
	s, password := startSecured(t)
	writes, other, secret := s.writesOfApp(), configMap("other", ""), named(&corev1.Secret{}, "auth")
	s.Create(other)
	s.Stop()
	s.Update(secret, func() {
		owner := *metav1.NewControllerRef(other, corev1.SchemeGroupVersion.WithKind("ConfigMap"))
		secret.OwnerReferences = []metav1.OwnerReference{owner}
		maps.DeleteFunc(secret.Labels, func(string, string) bool { return true })
	})
	s.Restart()
	s.status("Ready", "NameConflict")
	s.Exists(configMap("app", ""), service("web"))
	if s.password() != password || s.writesOfApp() != writes {
		t.Error("the Secret, or what depends on it, was written")
	}
	s.Update(secret, func() { secret.OwnerReferences = nil })
	s.Update(secret, func() { secret.Labels = map[string]string{testapi.Version.Group + "/site": string(s.site.UID)} })
	s.Delete(secret) // the person decides for another password
	s.running()
}

// A Secret that was restored from a backup keeps its password, under the parent that was restored, too.
func TestRestoredSecretKeepsItsPassword(t *testing.T) {
	s, password := startSecured(t, operator.WhenDeleted(operator.Orphan), operator.AdoptIfUnowned)
	saved := named(&corev1.Secret{}, "auth")
	s.Get(saved)
	s.Delete(s.site)
	s.Gone(s.site)
	s.Delete(named(&corev1.Secret{}, "auth"))
	s.Gone(named(&corev1.Secret{}, "auth"))

	saved.UID, saved.ResourceVersion, saved.ManagedFields, saved.OwnerReferences = "", "", nil, nil // as backup tools do
	s.Create(saved)
	s.site = site("web")
	s.Create(s.site)
	s.running()
	if s.password() != password {
		t.Error("the password is another one")
	}
}

func TestGeneratedValuesThatCannotBe(t *testing.T) {
	generate := operator.Generate("password", operator.Random(24), "")
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
		t.Run(name, func(t *testing.T) {
			f := start(t, &author{sync: desire(test.add)})
			ready := meta.FindStatusCondition(f.status("Ready", "InvalidChild").Conditions, "Ready")
			if !strings.HasPrefix(ready.Message, fmt.Sprintf(test.says, f.Namespace)) {
				t.Errorf("Ready says %q", ready.Message)
			}
			f.lacking(named(&corev1.Secret{}, "auth"))
		})
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
