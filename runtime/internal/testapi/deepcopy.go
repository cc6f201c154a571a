package testapi

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
)

func (s Status) copy() Status {
	s.Conditions = slices.Clone(s.Conditions)
	return s
}

// DeepCopyObject implements runtime.Object.
func (s *Site) DeepCopyObject() runtime.Object {
	site := Site{TypeMeta: s.TypeMeta, ObjectMeta: *s.ObjectMeta.DeepCopy(), Spec: s.Spec, Status: s.Status.copy()}
	return &site
}

// DeepCopyObject implements runtime.Object.
func (l *SiteList) DeepCopyObject() runtime.Object {
	list := SiteList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		list.Items = append(list.Items, *l.Items[i].DeepCopyObject().(*Site))
	}
	return &list
}

// DeepCopyObject implements runtime.Object.
func (r *Realm) DeepCopyObject() runtime.Object {
	realm := Realm{TypeMeta: r.TypeMeta, ObjectMeta: *r.ObjectMeta.DeepCopy(), Spec: r.Spec, Status: r.Status.copy()}
	return &realm
}

// DeepCopyObject implements runtime.Object.
func (l *RealmList) DeepCopyObject() runtime.Object {
	list := RealmList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		list.Items = append(list.Items, *l.Items[i].DeepCopyObject().(*Realm))
	}
	return &list
}
