//go:build linux

package cluster

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
)

// loadedImage is the name of testdata/web in the node.
const loadedImage = "test.example/web:1"

// nodeUnderTest is a node, with a namespace that only takes restricted Pods.
type nodeUnderTest struct {
	instance  *Instance
	client    *kubernetes.Clientset
	namespace string
}

func newNodeUnderTest(t *testing.T, instance *Instance) nodeUnderTest {
	t.Helper()
	client, err := kubernetes.NewForConfig(restConfig(t, instance))
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: labels}}
	if _, err := client.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return nodeUnderTest{instance, client, namespace.Name}
}

func (n nodeUnderTest) expectLoaded(t *testing.T, archive string) {
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	images, err := n.instance.LoadImages(t.Context(), file)
	if err != nil || !slices.Equal(images, []string{loadedImage}) {
		t.Errorf("LoadImages = %v, %v", images, err)
	}
}

// webDeployment has two restricted Pods that share a claim.
func webDeployment(image string) *appsv1.Deployment {
	yes, no, replicas := true, false, int32(2)
	labels := map[string]string{"app": "web"}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{
					SecurityContext: &corev1.PodSecurityContext{
						RunAsNonRoot: &yes, SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
					},
					Containers: []corev1.Container{{
						Name:  "web",
						Image: image,
						ReadinessProbe: &corev1.Probe{PeriodSeconds: 1, ProbeHandler: corev1.ProbeHandler{
							HTTPGet: &corev1.HTTPGetAction{Path: "/name", Port: intstr.FromInt32(8080)},
						}},
						Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("64Mi")}},
						SecurityContext: &corev1.SecurityContext{
							AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes,
							Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
						},
						VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
					}},
					Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
						PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"},
					}}},
				},
			},
		},
	}
}

func (n nodeUnderTest) expectPods(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Mi")}},
	}}
	if _, err := n.client.CoreV1().PersistentVolumeClaims(n.namespace).Create(t.Context(), claim, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := n.client.AppsV1().Deployments(n.namespace).Create(t.Context(), webDeployment(loadedImage), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	fastest := time.Hour // one alone may have waited for a busy machine
	for _, pod := range n.awaitPods(t, loadedImage) {
		took, _ := readyAfter(pod)
		t.Logf("%s was Ready %s after it was scheduled", pod.Name, took)
		fastest = min(fastest, took)
	}
	if fastest > podDeadline {
		t.Errorf("no Pod was Ready in less than %s, expected %s at most", fastest, podDeadline)
	}
}

// awaitPods waits until both Pods run an image and are Ready, and no other Pod is there.
func (n nodeUnderTest) awaitPods(t *testing.T, image string) []corev1.Pod {
	t.Helper()
	var pods []corev1.Pod
	eventually(t, "two Pods of "+image+" are Ready", func() bool {
		list, err := n.client.CoreV1().Pods(n.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return false
		}
		pods = list.Items
		ready := func(pod corev1.Pod) bool {
			_, is := readyAfter(pod)
			return is && pod.Spec.Containers[0].Image == image && pod.DeletionTimestamp == nil
		}
		return len(pods) == 2 && ready(pods[0]) && ready(pods[1])
	})
	if t.Failed() {
		t.FailNow()
	}
	return pods
}

// ask sends a request to a Pod of the Service, through the API server, and returns the answer or the error.
func (n nodeUnderTest) ask(t *testing.T, path string, parameters map[string]string) string {
	answer, err := n.client.CoreV1().Services(n.namespace).ProxyGet("http", "web", "80", path, parameters).DoRaw(t.Context())
	if err != nil {
		return err.Error()
	}
	return string(answer)
}

func (n nodeUnderTest) expectService(t *testing.T) {
	service, err := n.client.CoreV1().Services(n.namespace).Create(t.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromInt32(8080)}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the API server reaches the Service", func() bool {
		_, err := n.client.CoreV1().Services(n.namespace).ProxyGet("http", "web", "80", "/name", nil).DoRaw(t.Context())
		return err == nil
	})
	pods := n.awaitPods(t, loadedImage)
	for _, host := range []string{service.Spec.ClusterIP, "web", "web.web.svc.cluster.local"} {
		found := map[string]bool{}
		eventually(t, "both Pods answer at "+host, func() bool {
			found[n.ask(t, "/ask", map[string]string{"url": "http://" + host + "/name"})] = true
			return found[pods[0].Name] && found[pods[1].Name]
		})
		if t.Failed() {
			t.Errorf("%s has answered %v", host, found)
		}
	}
	if answer := n.ask(t, "/ask", map[string]string{"url": "http://outside.example"}); !strings.Contains(answer, "no such host") {
		t.Errorf("a name outside of the cluster answers %q", answer)
	}
	if answer := n.ask(t, "/ask", map[string]string{"url": "http://kubernetes.default:443"}); !strings.Contains(answer, "HTTPS server") {
		t.Errorf("the API server answers a Pod %q", answer)
	}
}

func (n nodeUnderTest) expectVolume(t *testing.T) {
	err := n.client.CoreV1().RESTClient().Post().Namespace(n.namespace).Resource("services").Name("web:80").SubResource("proxy").
		Suffix("text").Body(bytes.NewReader([]byte("kept"))).Do(t.Context()).Error()
	if err != nil {
		t.Fatal(err)
	}
	if err := n.client.CoreV1().Pods(n.namespace).DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	n.awaitPods(t, loadedImage)
	eventually(t, "the text is there", func() bool { return n.ask(t, "/text", nil) == "kept" })
}

func (n nodeUnderTest) expectKubectl(t *testing.T) {
	for _, test := range []struct{ args, expected string }{
		{"logs deploy/web", "serving\n"},
		{"exec deploy/web -- /web executed", "executed\n"},
	} {
		path, _ := (Assets{Dir: n.instance.Assets}).Kubectl()
		kubectl := exec.Command(path, append([]string{"--kubeconfig", n.instance.Kubeconfig(), "--namespace", n.namespace}, strings.Fields(test.args)...)...)
		var problem bytes.Buffer
		kubectl.Stderr = &problem
		if output, err := kubectl.Output(); err != nil || string(output) != test.expected {
			t.Errorf("kubectl %s: %q, %v, %s", test.args, output, err, &problem)
		}
	}
}

// expectRegistry pushes the image from the host, removes it from the node, and lets the Deployment pull it.
func (n nodeUnderTest) expectRegistry(t *testing.T) {
	image := n.instance.Node.Registry + "/web:1"
	n.runCtr(t, "images", "tag", loadedImage, image)
	n.runCtr(t, "images", "push", "--local", "--plain-http", image)
	n.runCtr(t, "images", "remove", image)
	deployments := n.client.AppsV1().Deployments(n.namespace)
	deployment, err := deployments.Get(t.Context(), "web", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	deployment.Spec.Template.Spec.Containers[0].Image = image
	if _, err := deployments.Update(t.Context(), deployment, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	n.awaitPods(t, image)
}

func (n nodeUnderTest) runCtr(t *testing.T, args ...string) {
	t.Helper()
	socket := filepath.Join("/proc", strconv.Itoa(n.instance.Processes[0].PID), "root", containerdSocket)
	command := exec.Command(filepath.Join(n.instance.Assets, ctr), append([]string{"--namespace=k8s.io", "--address=" + socket}, args...)...)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("ctr %s: %s", strings.Join(args, " "), output)
	}
}

// createOrphan creates a Pod of a node that does not exist, and deletes it, which no kubelet completes.
func (n nodeUnderTest) createOrphan(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "orphan"}, Spec: webDeployment(loadedImage).Spec.Template.Spec}
	pod.Spec.NodeName = "absent"
	pods := n.client.CoreV1().Pods("default")
	if _, err := pods.Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := pods.Delete(t.Context(), pod.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// expectOrphanCollected waits for the collector of Pods, which lets 40 seconds pass before it deletes such a Pod.
func (n nodeUnderTest) expectOrphanCollected(t *testing.T) {
	eventually(t, "the Pod is collected", func() bool {
		_, err := n.client.CoreV1().Pods("default").Get(t.Context(), "orphan", metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	})
}
