package operator_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"
)

// startChain runs an operator whose Sites name a ConfigMap, which leads to Secrets.
func startChain(t *testing.T, middle, far operator.RelatedKind) (*custom, *readers) {
	return startReaders(t, func(d *definition) {
		d.Kinds = nil
		d.Related = func(related *Related) []operator.RelatedKind {
			middle, far := middle, far
			middle.Object, middle.As, middle.Fields = &corev1.ConfigMap{}, "Clusters", operator.BindRelated(&related.ConfigMaps)
			far.Object, far.From, far.Fields = &corev1.Secret{}, "Clusters", operator.BindRelated(&related.Secrets)
			return []operator.RelatedKind{far, middle}
		}
	})
}

func secretOf(namespace, name, value string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, StringData: map[string]string{"key": value}}
}

// clusterOf returns a ConfigMap that names a Secret.
func clusterOf(name, secret string) *corev1.ConfigMap {
	object := configMap(name, "at "+name)
	object.Data["secret"] = secret
	return object
}

func TestRelatedObjectsOfRelatedObjects(t *testing.T) {
	c, r := startChain(t, operator.RelatedKind{NameFrom: ".spec.text"}, operator.RelatedKind{NameFrom: ".data.secret"})
	site, other := c.siteOf("web", "db"), c.siteOf("other", "db2")
	secret, second := secretOf(c.Namespace, "s1", "1"), secretOf(c.Namespace, "s2", "2")
	c.Create(secret, second)
	c.phase(site, "") // the object in the middle is missing
	c.phase(other, "")
	c.Settled()
	before := r.of("other")

	cluster := clusterOf("db", "s1")
	c.Create(cluster)
	c.phase(site, "db=at db;s1=1;")
	c.Update(secret, func() { secret.StringData = map[string]string{"key": "3"} })
	c.phase(site, "db=at db;s1=3;")
	c.Update(cluster, func() { cluster.Data["secret"] = "s2" })
	c.phase(site, "db=at db;s2=2;")
	c.Settled()
	read := r.of("web")
	c.Update(secret, func() { secret.StringData = map[string]string{"key": "4"} }) // no parent reads it any more
	c.Settled()
	if again := r.of("web"); again != read {
		t.Errorf("%d reconciles by an object that the one in the middle no longer names", again-read)
	}
	c.Delete(second)
	c.phase(site, "db=at db;")
	c.Create(secretOf(c.Namespace, "s2", "5"))
	c.phase(site, "db=at db;s2=5;")

	c.Stop()
	c.Update(cluster, func() { cluster.Data["secret"] = "s1" })
	c.Restart()
	c.phase(site, "db=at db;s1=4;")
	c.Delete(cluster)
	c.phase(site, "")
	c.Settled()
	read = r.of("web")
	c.Update(secret, func() { secret.StringData = map[string]string{"key": "6"} })
	c.Settled()
	if again := r.of("web"); again != read {
		t.Errorf("%d reconciles by what nothing leads to", again-read)
	}
	if after := r.of("other"); after > before+1 { // the restart
		t.Errorf("%d reconciles of a parent that reads none of this", after-before)
	}
}

// What an object names lies in its namespace: whoever may write the object in the middle reaches no other
// one, and the namespace of the parent has nothing to do with it.
func TestRelatedObjectsOfObjectsElsewhere(t *testing.T) {
	c, _ := startChain(t, operator.RelatedKind{NameFrom: ".spec.text", NamespacesFrom: ".metadata.annotations.namespace"}, operator.RelatedKind{NameFrom: ".data.secret"})
	elsewhere := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: c.Namespace + "-other"}}
	c.Create(elsewhere)
	cluster := clusterOf("db", "s")
	cluster.Namespace = elsewhere.Name
	c.Create(cluster, secretOf(c.Namespace, "s", "mine"), secretOf(elsewhere.Name, "s", "theirs"))
	site := c.siteOf("web", "db")
	c.phase(site, "")
	c.Update(site, func() { metav1.SetMetaDataAnnotation(&site.ObjectMeta, "namespace", elsewhere.Name) })
	c.phase(site, "db=at db;s=theirs;")
}

// The two ways to select go together: objects that name the one that the parent names.
func TestRelatedObjectsThatNameARelatedObject(t *testing.T) {
	c, r := startChain(t, operator.RelatedKind{NameFrom: ".spec.text"}, operator.RelatedKind{Match: map[string]string{".metadata.labels.cluster": ".metadata.name"}})
	site, other := c.siteOf("web", "db"), c.siteOf("other", "db2")
	secret := secretOf(c.Namespace, "s", "1")
	secret.Labels = map[string]string{"cluster": "db"}
	c.Create(clusterOf("db", ""), clusterOf("db2", ""), secret)
	c.phase(site, "db=at db;s=1;")
	c.phase(other, "db2=at db2;")
	c.Settled()
	before := r.of("other")
	c.Update(secret, func() { secret.StringData = map[string]string{"key": "2"} })
	c.phase(site, "db=at db;s=2;")
	if after := r.of("other"); after != before {
		t.Errorf("%d reconciles of a parent whose object is another", after-before)
	}
	c.Update(secret, func() { secret.Labels["cluster"] = "db2" })
	c.phase(site, "db=at db;")
	c.phase(other, "db2=at db2;s=2;")
}
