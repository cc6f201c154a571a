package operator_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestGeneratedPasswordSurvivesFaults(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
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

// A password that somebody has deleted is gone. Sync is told of it, and of the next one.
func TestSyncIsToldOfASecretThatWasDeleted(t *testing.T) {
	t.Parallel()
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
