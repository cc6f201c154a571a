package operator_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// keptStrategies are those that change a child in place. With the others it does not exist for a moment, in
// which nothing is known of it.
var keptStrategies = []operator.UpdateStrategy{operator.InPlace, operator.RollingInPlace}

// What was desired is changed, with the requests of any other change. The defaults of the API server and
// the fields of others are no part of it, drift is none, and a restart changes nothing.
func TestWhatWasDesiredIsChanged(t *testing.T) {
	t.Parallel()
	for _, strategy := range keptStrategies {
		t.Run(string(strategy), func(t *testing.T) {
			k := startKeeping(t, strategy)
			k.runs()
			web := k.has("v1", "10")
			k.Converged(k.parent)
			k.Update(web, func() { web.Labels["team"] = "theirs" })
			k.Settled()
			k.touch(k.parent, "v2/20") // another version of Sync's template
			k.has("v1", "20")
			k.says(k.parent, allReady)
			old := k.desiring.Load().(*corev1.Service)
			if old.Spec.ClusterIP != "" || old.Spec.Type != "" || old.Labels["team"] != "" || old.UID != "" || len(old.Annotations) > 0 || len(old.OwnerReferences) > 0 {
				t.Errorf("what was desired is %+v", old)
			}
			k.Converged(k.parent)
			before := k.Settled()
			k.Restart()
			k.Reconciled(k.parent)
			k.Settled()
			if made := k.Requests()[before:]; len(made) > 0 {
				t.Errorf("requests after a restart: %v", made)
			}
			k.touch(k.parent, "v3/30")
			k.has("v1", "30")
			k.Converged(k.parent)
			k.Truthful(k.parent)
		})
	}
}

// Children that keep what is desired cost no request more than others.
func TestKeepingWhatIsDesiredCostsNoRequest(t *testing.T) {
	k := startKeeping(t)
	before := k.Settled()
	k.runs()
	k.sentKept(before, "create services web: 201", "create serviceaccounts web: 201", "patch sites/status web: 200")
	before = k.Settled()
	k.touch(k.parent, "v1/20")
	k.has("v1", "20")
	k.Settled()
	k.sentKept(before, "create services web-dry-run: 201", "create services web-dry-run: 201", "patch services web: 200", "patch serviceaccounts web: 200", "patch sites/status web: 200")
	web := k.has("v1", "20")
	before = k.Settled()
	k.Update(web, func() { web.Labels["version"] = "theirs" })
	k.has("v1", "20")
	k.Settled()
	k.sentKept(before, "patch services web: 200")
}

// sentKept fails the test unless the operator has made these requests, in any order.
func (k *keeping) sentKept(before int, expected ...string) {
	k.t.Helper()
	var got []string
	for _, request := range k.Requests()[before:] {
		got = append(got, request.String())
	}
	slices.Sort(got)
	slices.Sort(expected)
	if !slices.Equal(got, expected) {
		k.t.Errorf("requests are %q, expected %q", got, expected)
	}
}

// Somebody changes fields of ours while the operator runs, and while it is down. They are not taken for
// what was desired, although the API server then counts them as theirs.
func TestDriftIsNotDesired(t *testing.T) {
	t.Parallel()
	for _, strategy := range keptStrategies {
		t.Run(string(strategy), func(t *testing.T) {
			k := startKeeping(t, strategy)
			k.runs()
			web := k.has("v1", "10")
			for _, down := range []bool{false, true} {
				if down {
					k.Stop()
				}
				k.Update(web, func() {
					web.Labels["version"], web.Spec.Ports[0].Port = "theirs", 81
				})
				if down {
					k.Restart()
				}
				web = k.has("v1", "10")
				k.Converged(k.parent)
				if k.Get(web); len(web.Spec.Ports) != 1 || web.Spec.Ports[0].Port != 80 {
					t.Errorf("its ports are %+v", web.Spec.Ports)
				}
			}
			k.touch(k.parent, "v2/20")
			k.has("v1", "20")
			k.Truthful(k.parent)
		})
	}
}

// A stranger edits the annotation. While the operator runs, it knows better, and writes it again. An
// annotation that was edited while it was down counts for nothing.
func TestEditedAnnotationIsNotDesired(t *testing.T) {
	t.Parallel()
	for _, strategy := range keptStrategies {
		t.Run(string(strategy), func(t *testing.T) {
			k := startKeeping(t, strategy)
			k.runs()
			web := k.has("v1", "10")
			uid, text := web.UID, web.Annotations[k.kept()]
			forged := strings.Replace(text, "v1", "forged", 1)
			if forged == text {
				t.Fatalf("the annotation is %s", text)
			}
			for _, edit := range []func(){
				func() { web.Annotations[k.kept()] = forged },
				func() { delete(web.Annotations, k.kept()) },
			} {
				k.Update(web, edit)
				k.Converged(k.parent)
				if k.Get(web); web.UID != uid || web.Annotations[k.kept()] != text {
					t.Errorf("the annotation is %s, in the same Service: %v", web.Annotations[k.kept()], web.UID == uid)
				}
			}
			k.Stop()
			k.Update(web, func() { web.Annotations[k.kept()] = forged })
			k.Restart()
			k.phase("Unknown")
			k.touch(k.parent, "v2/20")
			k.Converged(k.parent)
			k.has("v1", "10")
			k.whole.Store(true) // Sync desires all of the Service again
			k.touch(k.parent, "v1/20")
			k.has("v1", "20")
			k.whole.Store(false)
			k.touch(k.parent, "v2/30")
			k.phase("Known")
			k.has("v1", "30")
			k.Converged(k.parent)
			k.Truthful(k.parent)
		})
	}
}

// A child of an earlier release of the operator gets the annotation by one write in place, once it is
// desired, and is not recreated for it. Until then it is not known what was desired.
func TestChildrenOfBeforeTheKeyGetTheAnnotation(t *testing.T) {
	t.Parallel()
	for _, strategy := range append(keptStrategies, operator.Recreate, operator.RollingRecreate, operator.OnDelete) {
		t.Run(string(strategy), func(t *testing.T) {
			k := startKeeping(t, strategy)
			k.keeps.Store(false)
			k.whole.Store(true)
			k.Restart()
			k.runs()
			web := k.has("v1", "10")
			if _, exists := web.Annotations[k.kept()]; exists {
				t.Fatalf("its annotations are %v", web.Annotations)
			}
			uid := web.UID
			k.Stop()
			k.keeps.Store(true)
			k.whole.Store(false)
			k.Restart()
			k.phase("Unknown")
			k.whole.Store(true)
			k.Reconcile(k.parent)
			k.Converged(k.parent)
			if k.Get(web); web.Annotations[k.kept()] == "" || web.UID != uid {
				t.Errorf("its annotations are %v, and it is the same: %v", web.Annotations, web.UID == uid)
			}
			k.whole.Store(false)
			k.Reconcile(k.parent)
			k.phase("Known")
			k.Converged(k.parent)
			k.Truthful(k.parent)
		})
	}
}

// With OnDelete and CreateOnly, what was desired is what the child was made from, also if other annotations
// are applied in place.
func TestWhatAnOldChildWasMadeFrom(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]operator.ChildOption{
		"OnDelete": {operator.OnDelete}, "CreateOnly": {operator.CreateOnly},
		"OnDelete in place": {operator.OnDelete, operator.UpdateInPlace(".metadata.annotations")},
	} {
		t.Run(name, func(t *testing.T) {
			k := startKeeping(t, options...)
			k.whole.Store(true)
			k.runs()
			k.touch(k.parent, "v2/20") // it does not reach the child
			k.Converged(k.parent)
			for _, restart := range []bool{false, true} {
				k.whole.Store(true)
				k.touch(k.parent, "v3/30")
				k.Converged(k.parent)
				if restart {
					k.Restart()
				}
				k.whole.Store(false)
				k.Reconcile(k.parent)
				k.Converged(k.parent)
				if old, _ := k.desiring.Load().(*corev1.Service); old == nil || old.Labels["version"] != "v1" || old.Labels["weight"] != "10" {
					t.Errorf("what was desired is %+v", old)
				}
			}
			k.has("v1", "10")
		})
	}
}

// A Service of somebody else is adopted as it is: what is desired of all its fields is known from then on.
func TestWhatIsDesiredOfAnAdoptedChild(t *testing.T) {
	k := startKeeping(t, operator.AdoptAsItIs)
	theirs := service("web")
	theirs.Labels = map[string]string{"version": "theirs", "weight": "5"}
	k.Create(theirs)
	k.runs()
	uid := k.has("theirs", "5").UID
	k.Restart()
	k.touch(k.parent, "v2/20") // the weight is desired otherwise, and not the version
	k.has("theirs", "20")
	k.phase("Known")
	k.Converged(k.parent)
	if old, _ := k.desiring.Load().(*corev1.Service); old == nil || old.Labels["version"] != "v1" || old.Spec.Ports[0].Port != 80 {
		t.Errorf("what was desired is %+v", old)
	}
	if web := k.has("theirs", "20"); web.UID != uid {
		t.Error("it was recreated")
	}
	k.Truthful(k.parent)
}

// A copier: what he copies under another name is no child, whatever its annotation says, and an object that
// becomes a child with a stranger's annotation was never desired.
func TestAnnotationOfAStranger(t *testing.T) {
	var known bool
	k := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("copy", "ours"), operator.CreateOnly, operator.AdoptIfUnowned)
		_, known = req.Children.ConfigMaps.Desired("copy")
	}), func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			all := kinds(observed, desired)
			all[0].KeepDesired = true
			return all
		}
	})
	theirs := configMap("copy", "theirs")
	theirs.Annotations = map[string]string{k.group + "/desired": `{"data":{"key":"theirs"}}`}
	k.Create(theirs)
	site := k.site("web")
	k.says(site, allReady)
	k.Restart()
	k.Reconciled(site)
	k.Settled()
	if k.Get(theirs); len(theirs.OwnerReferences) != 1 || known {
		t.Errorf("it belongs to %v, and what was desired of it is known: %v", theirs.OwnerReferences, known)
	}
	k.Truthful(site)
}

// What cannot be kept is an error of the child.
func TestWhatIsTooLargeOrSecretIsNotKept(t *testing.T) {
	k := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		switch req.Parent.Spec.Text {
		case "large":
			want.ConfigMaps.Add(configMap("web", strings.Repeat("x", 64<<10)))
		case "secret":
			want.Secrets.Add(named(&corev1.Secret{}, "web"))
		default:
			want.ConfigMaps.Add(configMap("web", strings.Repeat("x", 63<<10)))
		}
	}), func(d *definition) {
		d.Kinds = func(observed *Children, desired *Desired) []operator.ChildKind {
			all := kinds(observed, desired)
			all[0].KeepDesired, all[1].KeepDesired = true, true
			return all
		}
	})
	site := k.siteOf("web", "small")
	k.says(site, allReady)
	k.touch(site, "large")
	k.says(site, "ConfigMap "+k.Namespace+"/web: its desired state is larger than 64 KiB, and keepDesired keeps no more")
	k.touch(site, "secret")
	k.says(site, "Secret "+k.Namespace+"/web: KeepDesired would reveal the values of a Secret in an annotation")
	k.Exists(configMap("web", "")) // nothing is pruned meanwhile
}

// Without the key, the error names it.
func TestDesiredNeedsTheKey(t *testing.T) {
	k := startCustom(t, customDesire(func(req *customRequest, want *Desired) {
		want.ConfigMaps.Add(configMap("web", "x"))
		if req.Parent.Spec.Text == "ask" {
			req.Children.ConfigMaps.Desired("web")
		}
	}), nil)
	site := k.siteOf("web", "before")
	k.says(site, allReady)
	k.touch(site, "ask")
	k.says(site, "panic: the kind does not keep what is desired of its children: the spec file allows it by keepDesired: true")
}
