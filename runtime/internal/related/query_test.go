package related

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Only the owner that controls an object counts as its controller.
func TestValueOfController(t *testing.T) {
	for name, test := range map[string]struct {
		owners []metav1.OwnerReference
		expect string
	}{
		"none":                  {},
		"an owner":              {[]metav1.OwnerReference{{UID: "1"}}, ""},
		"no controller":         {[]metav1.OwnerReference{{UID: "1", Controller: ptr.To(false)}}, ""},
		"a controller":          {[]metav1.OwnerReference{{UID: "1", Controller: ptr.To(true)}}, "1"},
		"an owner beside it":    {[]metav1.OwnerReference{{UID: "2"}, {UID: "1", Controller: ptr.To(true)}}, "1"},
		"a controller of no ID": {[]metav1.OwnerReference{{Controller: ptr.To(true)}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{OwnerReferences: test.owners}}
			if got := valueOf(pod, ControllerPath); got != test.expect {
				t.Errorf("the controller is %q", got)
			}
		})
	}
}
