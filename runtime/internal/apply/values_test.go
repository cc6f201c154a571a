package apply

import (
	"fmt"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// scratch has a volume and a security context.
func scratch(volume corev1.EmptyDirVolumeSource, security *corev1.PodSecurityContext) client.Object {
	return podTemplateOf(nil, corev1.PodSpec{
		Containers:      []corev1.Container{{Name: "main", Image: "web:1"}},
		Volumes:         []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &volume}}},
		SecurityContext: security,
	})
}

// An object that is desired without fields loses those that were desired before.
func TestObjectWithoutFieldsLosesItsFields(t *testing.T) {
	full := corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}
	for _, test := range []struct {
		name     string
		one, two client.Object
		path     string
	}{
		{"a volume source", scratch(full, nil), scratch(corev1.EmptyDirVolumeSource{}, nil), "template.spec.volumes.0.emptyDir"},
		{"a security context", scratch(full, &corev1.PodSecurityContext{RunAsNonRoot: ptr.To(true)}), scratch(full, &corev1.PodSecurityContext{}), "template.spec.securityContext"},
		{"an atomic map", loosely(mainContainer(func(*corev1.Container) {}), "template.spec.nodeSelector", object{"disk": "fast"}), loosely(mainContainer(func(*corev1.Container) {}), "template.spec.nodeSelector", object{}), "template.spec.nodeSelector"},
		{"an object of a custom resource", gadget(object{"tree": object{"a": object{"b": 1}}}), gadget(object{"tree": object{"a": object{}}}), "spec.tree.a"},
	} {
		for _, plain := range []bool{false, true} {
			for _, restart := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, restarted %v", test.name, ways[plain], restart), func(t *testing.T) {
					c := startServer(t).child(test.one, Desired{})
					c.applied = !plain
					c.settle(test.one)
					if restart {
						c.restart()
					}
					c.settle(test.two)
					content, err := contentOf(c.live())
					if left := at(content, test.path); err != nil || left != nil && !isEmptyObject(left) {
						t.Errorf("after a change, %s is %v, %v", test.path, left, err)
					}
					c.expect(test.two, Unchanged, "")
				})
			}
		}
	}
}

// The API server sets the defaults of an object that is desired without fields again.
func TestObjectWithoutFieldsGetsItsDefaults(t *testing.T) {
	scaler := func(behavior autoscalingv2.HorizontalPodAutoscalerBehavior) client.Object {
		return named(&autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}, MaxReplicas: 3, Behavior: &behavior,
		}})
	}
	one := scaler(autoscalingv2.HorizontalPodAutoscalerBehavior{ScaleDown: &autoscalingv2.HPAScalingRules{StabilizationWindowSeconds: ptr.To[int32](60)}})
	two := scaler(autoscalingv2.HorizontalPodAutoscalerBehavior{})
	for _, plain := range []bool{false, true} {
		t.Run(ways[plain], func(t *testing.T) {
			c := startServer(t).child(one, Desired{})
			c.applied = !plain
			c.settle(one)
			c.settle(two)
			behavior := c.live().(*autoscalingv2.HorizontalPodAutoscaler).Spec.Behavior
			if behavior == nil || behavior.ScaleUp == nil || behavior.ScaleDown == nil || behavior.ScaleDown.StabilizationWindowSeconds != nil {
				t.Errorf("behavior is %+v", behavior)
			}
			c.settle(two)
		})
	}
}

// loosely is an object without a Go type, with a value set.
func loosely(object client.Object, path string, value any) client.Object {
	content, err := contentOf(object)
	if err != nil {
		panic(err)
	}
	content = runtime.DeepCopyJSON(content)
	content["apiVersion"], content["kind"] = "v1", "PodTemplate"
	put(content, path, value)
	return &unstructured.Unstructured{Object: content}
}

// A value that somebody else changes between our read and our write is repaired.
func TestEditThatRacesAChange(t *testing.T) {
	one, two := configMap("key", "one", "other", "1"), configMap("key", "two", "other", "1")
	for name, edit := range map[string]func(*corev1.ConfigMap){
		"changed": func(c *corev1.ConfigMap) { c.Data["other"] = "theirs" },
		"removed": func(c *corev1.ConfigMap) { delete(c.Data, "other") },
	} {
		for _, plain := range []bool{false, true} {
			t.Run(name+", "+ways[plain], func(t *testing.T) {
				c := startServer(t).child(one, Desired{})
				c.applied = !plain
				c.settle(one)
				seen := c.cached()
				c.edit("someone", func(object client.Object) { edit(object.(*corev1.ConfigMap)) })
				if _, err := c.ApplyChild(t.Context(), c.now, c.state, c.desired(two), seen); err != nil {
					t.Fatal(err)
				}
				c.settle(two)
				c.expectAt("in the end", "data", object{"key": "two", "other": "1"})
				c.expect(two, Unchanged, "")
			})
		}
	}
}

// Another client may use the name of our field manager.
func TestSomebodyUsesTheNameOfOurManager(t *testing.T) {
	one := labelled(configMap("key", "one"))
	for _, plain := range []bool{false, true} {
		for _, restart := range []bool{false, true} {
			for name, edit := range map[string]func(*corev1.ConfigMap){
				"a value":       func(c *corev1.ConfigMap) { c.Data["key"] = "theirs" },
				"a field gone":  func(c *corev1.ConfigMap) { c.Data = nil },
				"a label":       func(c *corev1.ConfigMap) { c.Labels["app"] = "theirs" },
				"a label gone":  func(c *corev1.ConfigMap) { c.Labels = nil },
				"our reference": func(c *corev1.ConfigMap) { c.OwnerReferences[0].BlockOwnerDeletion = nil },
			} {
				t.Run(fmt.Sprintf("%s, %s, restarted %v", name, ways[plain], restart), func(t *testing.T) {
					c := startServer(t).child(one, Desired{})
					c.applied = !plain
					c.settle(one)
					c.edit(manager, func(object client.Object) { edit(object.(*corev1.ConfigMap)) })
					if restart {
						c.restart()
					}
					c.settle(one)
					live := c.live().(*corev1.ConfigMap)
					if live.Data["key"] != "one" || live.Labels["app"] != "web" || !ptr.Deref(live.OwnerReferences[0].BlockOwnerDeletion, false) {
						t.Errorf("the child is %v, of %v", live.Data, live.ObjectMeta)
					}
					c.expect(one, Unchanged, "")
				})
			}
		}
	}
}

// An atomic list with more items than desired has drifted.
func TestAtomicListThatGrows(t *testing.T) {
	capable := func(drop, add []corev1.Capability) client.Object {
		return mainContainer(func(c *corev1.Container) {
			c.SecurityContext = &corev1.SecurityContext{Capabilities: &corev1.Capabilities{Drop: drop, Add: add}}
		})
	}
	all, bind := []corev1.Capability{"ALL"}, []corev1.Capability{"NET_BIND_SERVICE"}
	for _, plain := range []bool{false, true} {
		for _, restart := range []bool{false, true} {
			for name, one := range map[string]client.Object{"dropped": capable(all, nil), "added": capable(nil, bind)} {
				t.Run(fmt.Sprintf("%s, %s, restarted %v", name, ways[plain], restart), func(t *testing.T) {
					c := startServer(t).child(one, Desired{})
					c.applied = !plain
					c.settle(one)
					c.edit("someone", func(object client.Object) {
						caps := object.(*corev1.PodTemplate).Template.Spec.Containers[0].SecurityContext.Capabilities
						if len(caps.Drop) > 0 {
							caps.Drop = append(caps.Drop, "NET_RAW")
						} else {
							caps.Add = append(caps.Add, "SYS_ADMIN")
						}
					})
					if restart {
						c.restart()
					}
					c.settle(one)
					caps := c.live().(*corev1.PodTemplate).Template.Spec.Containers[0].SecurityContext.Capabilities
					if len(caps.Drop)+len(caps.Add) != 1 {
						t.Errorf("capabilities are %v", caps)
					}
					c.expect(one, Unchanged, "")
				})
			}
		}
	}
}

// With more than ten managers the API server merges the oldest. A dropped field is removed all the
// same.
func TestMoreThanTenManagers(t *testing.T) {
	one, two := configMap("key", "one", "gone", "soon"), configMap("key", "one")
	for _, plain := range []bool{false, true} {
		for _, watched := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, looked at between %v", ways[plain], watched), func(t *testing.T) {
				c := startServer(t).child(one, Desired{})
				c.applied = !plain
				c.settle(one)
				for n := range 12 {
					c.edit(fmt.Sprint("wanderer-", n), func(object client.Object) {
						object.(*corev1.ConfigMap).Data[fmt.Sprint("theirs-", n)] = "stays"
					})
				}
				if watched {
					c.settle(one)
				}
				c.settle(two)
				c.settle(two)
				live := c.live().(*corev1.ConfigMap)
				if _, stays := live.Data["gone"]; stays || len(live.Data) != 13 {
					t.Errorf("data is %v", live.Data)
				}
				c.expect(two, Unchanged, "")
			})
		}
	}
}

// What desired drops goes also if somebody has wiped managedFields, between two looks or
// before the last one.
func TestWipedBeforeADrop(t *testing.T) {
	for _, test := range []struct {
		name     string
		one, two client.Object
		change   func(client.Object) // somebody else's
		path     string
		want     any
	}{
		{
			"ConfigMap", configMap("key", "one", "gone", "soon"), configMap("key", "one"),
			func(o client.Object) { o.(*corev1.ConfigMap).Data["theirs"] = "stays" },
			"data", object{"key": "one", "theirs": "stays"},
		}, {
			"custom resource", gadget(object{"tree": object{"key": "one", "gone": "soon"}}), gadget(object{"tree": object{"key": "one"}}),
			func(o client.Object) { put(o.(*unstructured.Unstructured).Object, "spec.tree.theirs", "stays") },
			"spec.tree", object{"key": "one", "theirs": "stays"},
		},
	} {
		for _, plain := range []bool{false, true} {
			for _, watched := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, looked at between %v", test.name, ways[plain], watched), func(t *testing.T) {
					c := startServer(t).child(test.one, Desired{})
					c.applied = !plain
					c.settle(test.one)
					c.edit("someone", test.change)
					c.edit("someone", func(o client.Object) { o.SetManagedFields([]metav1.ManagedFieldsEntry{{}}) })
					if watched {
						c.settle(test.one)
						c.expect(test.one, Unchanged, "")
					}
					c.settle(test.two)
					c.expectAt("in the end", test.path, test.want)
					c.expect(test.two, Unchanged, "")
				})
			}
		}
	}
}
