package operator_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// An API version leaves the CRD of a parent. Its managedFields are gone, and nothing is taken over that was left alone before.
func TestVersionOfAParentIsRemoved(t *testing.T) {
	for name, test := range map[string]struct {
		children bool
		change   func(*definition)
	}{
		"with children":               {children: true},
		"without children":            {},
		"with a finalizer":            {change: func(d *definition) { d.Finalize = finalizeAtOnce }},
		"with no conditions":          {change: func(d *definition) { d.Conditions = nil }},
		"with no conditions, but all": {children: true, change: func(d *definition) { d.Conditions, d.ObservedGeneration = nil, nil }},
	} {
		t.Run(name, func(t *testing.T) {
			v := startVersions(t, func(_ string, _ *customRequest, want *Desired) {
				if test.children {
					want.ConfigMaps.Add(configMap("web", "one"), operator.CreateOnly)
				}
			}, test.change)
			parent := v.applied("Duo", "web", map[string]any{"text": "one"})
			duo := v.duo("web")
			v.Eventually("it is reconciled", func() error {
				if v.Get(duo); duo.Status.Phase == "" {
					return errors.New("it is not")
				}
				return nil
			})
			v.Settled()
			reference := metav1.OwnerReference{APIVersion: v.group + "/v1", Kind: "Duo", Name: "web", UID: duo.UID, Controller: new(true), BlockOwnerDeletion: new(true)}
			bare, copied := configMap("web-bare", "theirs"), configMap("web-copy", "theirs")
			for _, object := range []*corev1.ConfigMap{bare, copied} {
				object.Namespace, object.OwnerReferences = v.Namespace, []metav1.OwnerReference{reference}
			}
			copied.Labels = map[string]string{v.group + "/site": string(duo.UID)}
			v.makeAs("kubectl-create", bare)
			v.makeAs("kubectl-create", copied)
			v.saysOfCopy(copied)
			v.Stop()
			v.removeVersion("Duo", parent)
			for range 2 {
				v.Restart()
				v.Settled()
			}
			v.Exists(bare, copied)
			if bare.Labels[v.group+"/site"] != "" {
				t.Errorf("the object without a label was taken over: %v", bare.Labels)
			}
			v.expectUnseen("web-bare", "web-copy")
			v.Update(duo, func() { duo.Spec.Text = "two" })
			v.Settled()
			v.Exists(bare, copied)
		})
	}
}

func finalizeAtOnce(context.Context, *customRequest) (*Response, error) {
	return &Response{Finalized: true}, nil
}

// An API version leaves the CRD of a child. The child stays a child, and copies of it stay copies.
func TestVersionOfAChildIsRemoved(t *testing.T) {
	v := startVersions(t, func(group string, req *customRequest, want *Desired) {
		if req.Parent.Spec.Text == "none" {
			return
		}
		for name, options := range map[string][]operator.ChildOption{"made": nil, "orphaned": orphaned, "adopted": {operator.AdoptIfUnowned}, "as-it-is": {operator.AdoptAsItIs}} {
			made := ticketWith(operator.Unstructured(group+"/v1", "Ticket"), req.Parent.Spec.Text)
			made.SetName(name)
			want.Accounts.Add(made, options...)
		}
	}, nil)
	for _, name := range []string{"adopted", "as-it-is"} {
		v.applied("Ticket", name, map[string]any{"text": "theirs", "more": "theirs"})
	}
	v.applied("Duo", "web", map[string]any{"text": "one"})
	duo := v.duo("web")
	v.says(duo, allReady)
	var children, copies []*unstructured.Unstructured
	for _, name := range []string{"made", "orphaned", "adopted", "as-it-is"} {
		child := v.ticket(name)
		v.Exists(child)
		children = append(children, child)
		copies = append(copies, v.copyOfTicket(child, name+"-copy"))
	}
	bare := v.copyOfTicket(children[0], "made-bare")
	v.Settled()
	uids := map[string]types.UID{}
	for _, child := range children {
		uids[child.GetName()] = child.GetUID()
	}
	v.annotate("v1alpha1", "seen", slices.Concat(children, copies)...)
	v.Settled()
	for _, stopped := range []bool{true, false} {
		if stopped {
			v.Stop()
			v.removeVersion("Ticket", slices.Concat(children, copies)...)
			v.Restart()
		}
		v.Settled()
		v.Update(duo, func() { duo.Spec.Text += "x" })
		v.Settled()
		v.Restart()
		v.Settled()
	}
	for i, child := range children {
		if v.Get(child); child.GetUID() != uids[child.GetName()] {
			t.Errorf("%s was recreated", child.GetName())
		}
		if text, _, _ := unstructured.NestedString(child.Object, "spec", "text"); text != "onexx" {
			t.Errorf("%s has the text %s", child.GetName(), text)
		}
		if !v.Get(copies[i]) {
			t.Errorf("%s is gone", copies[i].GetName())
		}
	}
	v.Exists(bare)
	v.expectUnseen("made-copy", "orphaned-copy", "adopted-copy", "as-it-is-copy", "made-bare")
	v.Update(duo, func() { duo.Spec.Text = "none" })
	v.Settled()
	for i, child := range children {
		if isLeft := v.Get(child); isLeft != (child.GetName() == "orphaned") {
			t.Errorf("%s is left: %v", child.GetName(), isLeft)
		}
		if !v.Get(copies[i]) {
			t.Errorf("%s was pruned", copies[i].GetName())
		}
	}
}

// An API version leaves the CRD of a related object with a patch. The patch is applied again, and still removed later.
func TestVersionOfAPatchedObjectIsRemoved(t *testing.T) {
	for _, stopped := range []bool{true, false} {
		t.Run(fmt.Sprint("the operator is down: ", stopped), func(t *testing.T) {
			v := startVersions(t, func(group string, req *customRequest, want *Desired) {
				if object, ok := req.Related.Gadgets.Get("shared"); ok && req.Parent.Spec.Text != "none" {
					patch := operator.Unstructured(group+"/v1", "Gadget")
					patch.Object["spec"] = map[string]any{"color": "red"}
					want.Patches.Gadgets.Add(object, patch)
				}
			}, nil)
			gadget := v.applied("Gadget", "shared", map[string]any{"size": "l"})
			v.applied("Duo", "web", map[string]any{"text": "one"})
			duo := v.duo("web")
			color := func() string {
				current := operator.Unstructured(v.group+"/v1", "Gadget")
				current.SetName("shared")
				v.Get(current)
				text, _, _ := unstructured.NestedString(current.Object, "spec", "color")
				return text
			}
			v.Eventually("it is patched", func() error {
				if color() != "red" {
					return errors.New("it is not")
				}
				return nil
			})
			v.Settled()
			if stopped {
				v.Stop()
			}
			v.removeVersion("Gadget", gadget)
			if stopped {
				v.Restart()
			}
			v.Settled()
			if color() != "red" {
				t.Errorf("its color is %q", color())
			}
			v.Update(duo, func() { duo.Spec.Text = "none" })
			v.Eventually("the patch is removed", func() error {
				if is := color(); is != "" {
					return errors.New("the color is " + is)
				}
				return nil
			})
		})
	}
}
