package operator_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/opgen-dev/opgen/runtime/internal/testapi"
	"github.com/opgen-dev/opgen/runtime/operator"
	"github.com/opgen-dev/opgen/runtime/operatortest"
)

func TestManyKindsInOneProcess(t *testing.T) {
	t.Parallel()
	sites := &author{sync: desire(func(want *Desired) { want.ConfigMaps.Add(configMap("of-site", "one")) })}
	realm := realms(t, func(_ context.Context, req *realmRequest) (*realmResponse, error) {
		want := new(realmDesired)
		want.ConfigMaps.Add(configMapIn(req.Parent.Name, "of-realm"))
		return &realmResponse{Children: want}, nil
	})
	address := freeAddress(t)
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: func(mgr operator.Manager) ([]operator.Controller, error) {
			first, err := sites.controllers(mgr)
			if err != nil {
				return nil, err
			}
			second, err := realm(mgr)
			return append(first, second...), err
		},
		CRDs:    []string{"../internal/testapi/crds.yaml"},
		Schemes: runtime.SchemeBuilder{testapi.AddToScheme},
		Options: func(o *operator.Options) { o.MetricsAddress, o.MetricsSecure = address, false },
	})
	parent := makeRealm(t, cluster)
	cluster.Create(site("web"), parent)
	ofSite, ofRealm := configMap("of-site", ""), configMap("of-realm", "")
	cluster.Exists(ofSite, ofRealm)
	// Neither takes the other's children, which are of the same kind, for its own.
	cluster.Settled()
	cluster.Exists(ofSite, ofRealm)
	cluster.Delete(ofRealm)
	cluster.Gone(ofRealm)
	cluster.Exists(configMap("of-realm", ""))
	cluster.Eventually("the metrics of both are served", func() error {
		return missing("http://"+address+"/metrics",
			`opgen_reconcile_total{controller="site",result="success"}`,
			`opgen_reconcile_total{controller="realm",result="success"}`,
			`opgen_child_writes_total{controller="realm",kind="ConfigMap",verb="created"}`,
			`opgen_convergence_seconds_count{controller="site"}`,
			`workqueue_depth{controller="site",name="site",priority=`,
			`workqueue_queue_duration_seconds_count{controller="realm",name="realm"}`,
		)
	})
}

// missing returns an error if a page lacks one of these parts.
func missing(url string, parts ...string) error {
	response, err := http.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if !strings.Contains(string(body), part) {
			return fmt.Errorf("no %s", part)
		}
	}
	return nil
}

// An operator of one namespace needs no right outside of it, and leaves what is
// there alone.
func TestNamespacedOperatorKeepsToItsNamespace(t *testing.T) {
	t.Parallel()
	user := "namespaced-" + strconv.Itoa(os.Getpid())
	a := &author{sync: desireWeb}
	cluster := operatortest.Start(t, operatortest.Config{
		Controllers: a.controllers,
		CRDs:        []string{"../internal/testapi/crds.yaml"},
		Schemes:     runtime.SchemeBuilder{testapi.AddToScheme},
		User:        user,
	})
	f := &fixture{Cluster: cluster, author: a, t: t, site: site("web")}
	named := metav1.ObjectMeta{Name: user}
	elsewhere := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: cluster.Namespace + "-elsewhere"}}
	f.Create(elsewhere)
	outside := site("web")
	outside.Namespace = elsewhere.Name
	f.Create(
		&rbacv1.Role{ObjectMeta: named, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"", "test.opgen.dev", "events.k8s.io"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch", "create", "patch", "update", "delete"}},
		}},
		&rbacv1.RoleBinding{
			ObjectMeta: named,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
		},
		outside, f.site,
	)
	f.status("Ready", "Ready")
	f.Exists(configMap("web", ""))
	time.Sleep(time.Second) // in which a reconcile of the other Site would come
	if f.Get(configMapIn(elsewhere.Name, "web")) {
		t.Error("a child was made in another namespace")
	}
	if f.Get(outside); len(outside.Status.Conditions) > 0 {
		t.Errorf("a Site in another namespace has the status %+v", outside.Status)
	}
}
