package scrape

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func TestFilter(t *testing.T) {
	path := os.Getenv("OPGEN_TEST_KUBECONFIG")
	if path == "" {
		t.Skip("OPGEN_TEST_KUBECONFIG is not set: run make test")
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	client := kubernetes.NewForConfigOrDie(config)
	namespace, err := client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "scrape-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		_ = client.CoreV1().Namespaces().Delete(ctx, namespace.Name, metav1.DeleteOptions{})
		_ = client.RbacV1().ClusterRoles().Delete(ctx, namespace.Name, metav1.DeleteOptions{})
		_ = client.RbacV1().ClusterRoleBindings().Delete(ctx, namespace.Name, metav1.DeleteOptions{})
	})
	reader, stranger := account(t, client, namespace.Name, "reader"), account(t, client, namespace.Name, "stranger")
	grant(t, client, namespace.Name, "reader")

	handler := filtered(t, config)
	for _, test := range []struct {
		name, authorization, method, path string
		expect                            int
	}{
		{"who may", "Bearer " + reader, http.MethodGet, "/metrics", http.StatusOK},
		{"the same again, as remembered", "bearer " + reader, http.MethodGet, "/metrics", http.StatusOK},
		{"another path", "Bearer " + reader, http.MethodGet, "/debug", http.StatusForbidden},
		{"another verb", "Bearer " + reader, http.MethodPost, "/metrics", http.StatusForbidden},
		{"who may not", "Bearer " + stranger, http.MethodGet, "/metrics", http.StatusForbidden},
		{"a wrong token", "Bearer nonsense", http.MethodGet, "/metrics", http.StatusUnauthorized},
		{"no token", "", http.MethodGet, "/metrics", http.StatusUnauthorized},
		{"an empty token", "Bearer ", http.MethodGet, "/metrics", http.StatusUnauthorized},
		{"a password", "Basic YTpi", http.MethodGet, "/metrics", http.StatusUnauthorized},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := httptest.NewRequest(test.method, test.path, nil)
			if test.authorization != "" {
				request.Header.Set("Authorization", test.authorization)
			}
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, request)
			if answer.Code != test.expect {
				t.Errorf("status %d, want %d", answer.Code, test.expect)
			}
		})
	}
}

func TestNobodyReadsMetricsWhileTheAPIServerIsAway(t *testing.T) {
	handler := filtered(t, &rest.Config{Host: "http://127.0.0.1:1"})
	request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	request.Header.Set("Authorization", "Bearer token")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	if answer.Code != http.StatusInternalServerError {
		t.Errorf("status %d, want 500", answer.Code)
	}
}

func TestAnswersCountForAWhile(t *testing.T) {
	now := time.Unix(0, 0)
	a := newAnswerCache(func() time.Time { return now })
	yes, no := newAccessRequest("yes", "get", "/metrics"), newAccessRequest("no", "get", "/metrics")
	a.put(yes, http.StatusOK)
	a.put(no, http.StatusForbidden)
	for _, step := range []struct {
		after   time.Duration
		yes, no bool
	}{{0, true, true}, {deniedFor, true, false}, {allowedFor, false, false}} {
		now = time.Unix(0, 0).Add(step.after)
		_, knowsYes := a.get(yes)
		_, knowsNo := a.get(no)
		if knowsYes != step.yes || knowsNo != step.no {
			t.Errorf("after %s: known %v and %v", step.after, knowsYes, knowsNo)
		}
	}
	for i := range 3 * maxAnswers {
		a.put(newAccessRequest(time.Unix(int64(i), 0).String(), "get", "/"), http.StatusForbidden)
	}
	if len(a.known) > maxAnswers {
		t.Errorf("%d answers are remembered", len(a.known))
	}
}

// filtered is a handler that answers with 200 whom the filter lets through.
func filtered(t *testing.T, config *rest.Config) http.Handler {
	t.Helper()
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	filter, err := Filter(config, httpClient)
	if err != nil {
		t.Fatal(err)
	}
	handler, err := filter(logr.Discard(), http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// account makes a ServiceAccount and returns a token of it.
func account(t *testing.T, client kubernetes.Interface, namespace, name string) string {
	t.Helper()
	accounts := client.CoreV1().ServiceAccounts(namespace)
	if _, err := accounts.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	request, err := accounts.CreateToken(t.Context(), name, new(authenticationv1.TokenRequest), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// grant lets an account get /metrics, and waits until the API server knows.
func grant(t *testing.T, client kubernetes.Interface, namespace, name string) {
	t.Helper()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Rules: []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}}}
	if _, err := client.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: namespace},
	}
	if _, err := client.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:                  "system:serviceaccount:" + namespace + ":" + name,
		NonResourceAttributes: &authorizationv1.NonResourceAttributes{Path: "/metrics", Verb: "get"},
	}}
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		answer, err := client.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if answer.Status.Allowed {
			return
		}
	}
	t.Fatalf("the API server does not know the role of %s after a minute", name)
}
