package apply

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/opgen-dev/opgen/runtime/internal/declared"
)

const generatedKey = "apply.opgen.dev/generated"

// generates returns what asks for the value of a password, by a token, and of other keys.
func generates(token string, others ...string) []declared.GeneratedKey {
	keys := []declared.GeneratedKey{{Key: "password", Length: 24, Token: token}}
	for _, other := range others {
		keys = append(keys, declared.GeneratedKey{Key: other, Length: 8})
	}
	return keys
}

// generated is a child of which a value is generated.
type generated struct{ *childOnServer }

func startGenerated(t *testing.T) generated {
	t.Helper()
	c := startServer(t).child(named(&corev1.Secret{}), Desired{GeneratedKey: generatedKey})
	c.wish.Generate = generates("")
	return generated{c}
}

// secret is what the author desires.
func (g generated) secret(user string) client.Object {
	return named(&corev1.Secret{Data: map[string][]byte{"user": []byte(user)}})
}

// value returns the value of a key, as it is stored.
func (g generated) value(key string) string {
	g.t.Helper()
	live, ok := g.live().(*corev1.Secret)
	if !ok {
		g.t.Fatal("there is no Secret")
	}
	return string(live.Data[key])
}

// requires fails the test if the stored password is not the one, and if the child is not in sync.
func (g generated) requires(password string) {
	g.t.Helper()
	g.made()
	g.settle(g.secret("ann"))
	if g.value("password") != password {
		g.t.Fatalf("the password is another one")
	}
	if text := g.live().GetAnnotations()[generatedKey]; text != declared.GeneratedText(g.wish.Generate) {
		g.t.Errorf("the Secret carries %q", text)
	}
	g.made()
	g.settle(g.secret("ann"))
	if made := g.made(); made != "" {
		g.t.Errorf("requests when in sync: %s", made)
	}
}

// eachGenerated calls test for a Secret that was created, one that was applied since, one that an
// operator finds when it starts, and one of which the cache holds the metadata alone.
func eachGenerated(t *testing.T, test func(g generated, password string)) {
	t.Helper()
	for _, mode := range []struct {
		name                         string
		isApplied, restart, metadata bool
	}{
		{name: "created"}, {name: "found at a start", restart: true}, {name: "applied, found at a start", isApplied: true, restart: true},
		{name: "applied, its metadata in the cache", isApplied: true, metadata: true},
	} {
		t.Run(mode.name, func(t *testing.T) {
			g := startGenerated(t)
			g.Metadata = mode.metadata
			g.expect(g.secret("ann"), Created, "post 201")
			password := g.value("password")
			if mode.isApplied {
				g.wish.Generate = generates("", "other")
				g.settle(g.secret("ann"))
				g.wish.Generate = generates("")
				g.settle(g.secret("ann"))
				if g.value("other") != "" {
					t.Error("a value that is not to be generated any more is left")
				}
			}
			if mode.restart {
				g.restart()
			}
			test(g, password)
		})
	}
}

func TestGeneratedValueIsWrittenOnce(t *testing.T) {
	eachGenerated(t, func(g generated, password string) {
		if !regexp.MustCompile("^[A-Za-z0-9]{24}$").MatchString(password) {
			g.t.Errorf("the password is %q", password)
		}
		g.requires(password)
		g.settle(g.secret("bob")) // what the author desires changes
		if g.value("user") != "bob" || g.value("password") != password {
			g.t.Error("the change of another key has not arrived, or has changed the password")
		}
		g.requires(password)
		g.wish.Generate = generates("", "second")
		g.settle(g.secret("ann"))
		second := g.value("second")
		if len(second) != 8 {
			g.t.Errorf("the second value is %q", second)
		}
		g.requires(password)
		if g.value("second") != second {
			g.t.Error("the second value is another one")
		}
	})
}

func TestGeneratedValueChangesWithItsToken(t *testing.T) {
	eachGenerated(t, func(g generated, password string) {
		for _, token := range []string{"one", "two", "one", ""} {
			g.wish.Generate = generates(token)
			if outcome := g.settle(g.secret("ann")); outcome.Action != Updated {
				g.t.Fatalf("the child is %s", outcome.Action)
			}
			rotated := g.value("password")
			if rotated == password || len(rotated) != 24 {
				g.t.Fatalf("the password is %q, and was %q", rotated, password)
			}
			password = rotated
			g.requires(password)
			g.restart()
			g.requires(password)
			g.now = g.now.Add(5 * 60e9) // no return to an earlier desired state
		}
	})
}

func TestGeneratedValueStaysWhateverSomebodyDoesToTheMetadata(t *testing.T) {
	editAnnotations := func(change func(annotations map[string]string)) func(client.Object) {
		return func(object client.Object) {
			annotations := object.GetAnnotations()
			change(annotations)
			object.SetAnnotations(annotations)
		}
	}
	for name, change := range map[string]func(client.Object){
		"the tokens are removed":           editAnnotations(func(a map[string]string) { delete(a, generatedKey) }),
		"the hash is removed":              editAnnotations(func(a map[string]string) { delete(a, hashKey) }),
		"all annotations are removed":      editAnnotations(func(a map[string]string) { clear(a) }),
		"the token is another one":         editAnnotations(func(a map[string]string) { a[generatedKey] = `{"password":"theirs"}` }),
		"the tokens are none":              editAnnotations(func(a map[string]string) { a[generatedKey] = `{"password":` }),
		"another key has a token":          editAnnotations(func(a map[string]string) { a[generatedKey] = `{"other":""}` }),
		"labels and annotations are added": func(object client.Object) { metav1.SetMetaDataLabel(&object.(*corev1.Secret).ObjectMeta, "a", "b") },
		"managedFields are wiped":          func(object client.Object) { object.SetManagedFields([]metav1.ManagedFieldsEntry{{}}) },
	} {
		t.Run(name, func(t *testing.T) {
			eachGenerated(t, func(g generated, password string) {
				g.edit("somebody", change)
				g.requires(password)
			})
		})
	}
}

func TestValueThatSomebodyWritesIsTheValue(t *testing.T) {
	eachGenerated(t, func(g generated, password string) {
		g.drift("data.password", base64.StdEncoding.EncodeToString([]byte("theirs")))
		g.requires("theirs")
		g.restart()
		g.requires("theirs")
		g.edit("somebody", func(object client.Object) { object.(*corev1.Secret).Data["password"] = []byte("theirs, too") })
		g.requires("theirs, too")
	})
}

func TestValueThatIsGoneIsAnError(t *testing.T) {
	set := func(value []byte) func(client.Object) {
		return func(object client.Object) {
			secret := object.(*corev1.Secret)
			if secret.Data == nil {
				secret.Data = map[string][]byte{}
			}
			secret.Data["password"] = value
		}
	}
	remove := func(object client.Object) { delete(object.(*corev1.Secret).Data, "password") }
	for name, change := range map[string]func(client.Object){
		"emptied":  set(nil),
		"removed":  remove,
		"all data": func(object client.Object) { clear(object.(*corev1.Secret).Data) },
		"removed with the tokens": func(object client.Object) {
			remove(object)
			maps.DeleteFunc(object.GetAnnotations(), func(key, _ string) bool { return key == generatedKey })
		},
	} {
		for end, repair := range map[string]func(g generated, password string){
			"restored": func(g generated, password string) {
				g.edit("somebody", set([]byte(password)))
				g.requires(password)
			},
			"with another token": func(g generated, password string) {
				g.wish.Generate = generates("next")
				g.settle(g.secret("ann"))
				made := g.value("password")
				if made == password || len(made) != 24 {
					g.t.Errorf("the password is %q", made)
				}
				g.requires(made)
			},
			"when the Secret is deleted": func(g generated, password string) {
				if err := g.server.Delete(g.t.Context(), g.live()); err != nil {
					g.t.Fatal(err)
				}
				g.settle(g.secret("ann"))
				made := g.value("password")
				if made == password || len(made) != 24 {
					g.t.Errorf("the password is %q", made)
				}
				g.requires(made)
			},
		} {
			if name != "removed" && end != "restored" {
				continue
			}
			t.Run(name+" and "+end, func(t *testing.T) {
				eachGenerated(t, func(g generated, password string) {
					g.edit("somebody", change)
					version := ""
					for range 3 {
						outcome := g.settle(g.secret("ann"))
						if err, ok := errors.AsType[ErrValueGone](outcome.Gone); !ok || err.Name != "password" {
							g.t.Fatalf("the error is %v", outcome.Gone)
						}
						if g.value("user") != "ann" || g.value("password") != "" {
							g.t.Errorf("the password is %q, and the user %q", g.value("password"), g.value("user"))
						}
						if now := g.live().GetResourceVersion(); version != "" && now != version {
							g.t.Error("the Secret was written again")
						}
						version = g.live().GetResourceVersion()
					}
					repair(g, password)
				})
			})
		}
	}
}

// The cache of an operator that starts may be older than what the one before has written.
func TestOldCacheGeneratesNoOtherValue(t *testing.T) {
	g := startGenerated(t)
	g.expect(g.secret("ann"), Created, "post 201")
	old := g.cached()
	g.wish.Generate = generates("next")
	g.expect(g.secret("ann"), Updated, "get 200, json-patch 200")
	rotated := g.value("password")
	g.restart()
	if outcome, err := g.ApplyChild(t.Context(), g.now, g.state, g.desired(g.secret("ann")), old); err != nil || outcome.Action != Unchanged {
		t.Errorf("the child is %s: %v", outcome.Action, err)
	}
	g.requires(rotated)
	if err := g.server.Delete(t.Context(), g.live()); err != nil {
		t.Fatal(err)
	}
	g.wish.Generate = generates("last")
	if _, err := g.ApplyChild(t.Context(), g.now, g.state, g.desired(g.secret("ann")), old); !errors.As(err, new(ErrStale)) {
		t.Errorf("the error about a Secret that is gone is %v", err)
	}
}

// A Secret that was restored, or that somebody else has made before, keeps its value.
func TestAdoptedSecretKeepsItsValue(t *testing.T) {
	for _, policy := range []declared.AdoptionPolicy{declared.AdoptIfUnowned, declared.AdoptForce} {
		for name, annotations := range map[string]map[string]string{
			"without tokens": nil,
			"with tokens":    {generatedKey: `{"password":""}`},
		} {
			t.Run(fmt.Sprint(policy, " ", name), func(t *testing.T) {
				g := startGenerated(t)
				g.wish.Adopt = policy
				existing := g.secret("eve").(*corev1.Secret)
				existing.Namespace, existing.Annotations, existing.Data["password"] = g.namespace, annotations, []byte("known")
				if err := g.server.Create(t.Context(), existing); err != nil {
					t.Fatal(err)
				}
				if outcome, err := g.ApplyChild(t.Context(), g.now, g.state, g.desired(g.secret("ann")), nil); err != nil || outcome.Action != Adopted {
					t.Fatalf("the Secret is %s: %v", outcome.Action, err)
				}
				g.requires("known")
			})
		}
	}
}

// The API server quotes the values that it refuses.
func TestRefusalOfAGeneratedValueDoesNotShowIt(t *testing.T) {
	d := Desired{Generate: generates("")}
	d.Kind = corev1.SchemeGroupVersion.WithKind("Secret")
	d, err := NewDesired(d, map[string]any{})
	if err == nil {
		c := &childApply{childComparer: childComparer{desired: d}}
		_, err = c.generate(nil)
		d = c.desired
	}
	if err != nil {
		t.Fatal(err)
	}
	encoded := d.content()["data"].(map[string]any)["password"].(string)
	password, _ := base64.StdEncoding.DecodeString(encoded)
	for _, value := range []string{string(password), encoded} {
		if text := hideSecrets(fmt.Errorf("data[password]: Invalid value: %q: too bad", value), d, nil).Error(); text != `data[password]: Invalid value: "(hidden)": too bad` {
			t.Errorf("the error is %s", text)
		}
	}
	if again := d.withValues(map[string]any{"password": "another"}); again.digest != d.digest || again.Hash != d.Hash {
		t.Error("the hash depends on the value")
	}
}
