package cluster

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestControlPlane(t *testing.T) {
	o := realOptions(t, "controllers")
	instance := up(t, o).Instance
	config, err := clientcmd.BuildConfigFromFlags("", instance.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(corev1.AddToScheme(scheme), authenticationv1.AddToScheme(scheme), apiextensionsv1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	admin, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	t.Run("secrets are for the user alone", func(t *testing.T) { expectPrivate(t, instance.Dir) })
	t.Run("children of a deleted owner are collected", func(t *testing.T) { expectCollection(t, admin) })
	t.Run("children of an owner of a new kind, too", func(t *testing.T) { expectCollectionOfNewKind(t, admin) })
	t.Run("a deleted namespace ends", func(t *testing.T) { expectNamespaceDeleted(t, admin) })
	t.Run("a ServiceAccount's token has its rights alone", func(t *testing.T) { expectToken(t, admin, config, instance) })
}

func expectPrivate(t *testing.T, dir string) {
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %s", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func configMap(name string, owners ...metav1.OwnerReference) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, OwnerReferences: owners}}
}

func expectCollection(t *testing.T, admin client.Client) {
	owner := configMap("owner")
	create(t, admin, owner)
	child := configMap("child", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID})
	create(t, admin, child)
	if err := admin.Delete(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	expectGone(t, admin, child)
}

func expectCollectionOfNewKind(t *testing.T, admin client.Client) {
	schema := &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}}
	create(t, admin, &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "echoes.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group:    "example.com",
			Scope:    apiextensionsv1.NamespaceScoped,
			Names:    apiextensionsv1.CustomResourceDefinitionNames{Kind: "Echo", Plural: "echoes"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: schema}},
		},
	})
	owner := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Echo",
		"metadata": map[string]any{"namespace": "default", "name": "owner"}}}
	eventually(t, "the new kind is served", func() bool { return admin.Create(t.Context(), owner) == nil })
	child := configMap("child-of-new-kind", metav1.OwnerReference{APIVersion: "example.com/v1", Kind: "Echo", Name: owner.GetName(), UID: owner.GetUID()})
	create(t, admin, child)
	if err := admin.Delete(t.Context(), owner); err != nil {
		t.Fatal(err)
	}
	expectGone(t, admin, child)
}

func expectNamespaceDeleted(t *testing.T, admin client.Client) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "passing"}}
	create(t, admin, namespace)
	content := configMap("content")
	content.Namespace = namespace.Name
	create(t, admin, content)
	if err := admin.Delete(t.Context(), namespace); err != nil {
		t.Fatal(err)
	}
	expectGone(t, admin, namespace)
}

func expectToken(t *testing.T, admin client.Client, config *rest.Config, instance *Instance) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "default"}}
	request := &authenticationv1.TokenRequest{}
	if err := admin.SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	limited := rest.AnonymousClientConfig(config)
	limited.BearerToken = request.Status.Token
	user, err := client.New(limited, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := user.Create(t.Context(), configMap("refused")); !apierrors.IsForbidden(err) {
		t.Errorf("the ServiceAccount's request ended with %v, expected it to be refused", err)
	}
	refused := func() bool {
		return slices.ContainsFunc(auditEvents(t, instance), func(e auditv1.Event) bool {
			return e.User.Username == "system:serviceaccount:default:default" && e.Verb == "create" && e.Stage == auditv1.StageResponseComplete &&
				e.ObjectRef.Resource == "configmaps" && e.ObjectRef.Namespace == "default" && e.ResponseStatus.Code == 403
		})
	}
	eventually(t, "the audit log has the refused request", refused)
}

func auditEvents(t *testing.T, instance *Instance) []auditv1.Event {
	file, err := os.Open(instance.AuditLog())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var events []auditv1.Event
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var event auditv1.Event
		if json.Unmarshal(lines.Bytes(), &event) == nil { // else: a line that is being written
			events = append(events, event)
		}
	}
	return events
}

func create(t *testing.T, admin client.Client, object client.Object) {
	t.Helper()
	if err := admin.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
}

func expectGone(t *testing.T, admin client.Client, object client.Object) {
	t.Helper()
	eventually(t, object.GetName()+" is gone", func() bool {
		return apierrors.IsNotFound(admin.Get(t.Context(), client.ObjectKeyFromObject(object), object))
	})
}
