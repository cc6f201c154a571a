package exampleapp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/example-app/api/v1alpha1"
)

const settingsAnnotation = "example-app.appdelivery.cncf.io/settings"

func dataClaim(app *v1alpha1.ExampleApp) string   { return app.Name + "-data" }
func backupClaim(app *v1alpha1.ExampleApp) string { return app.Name + "-backups" }
func authSecret(app *v1alpha1.ExampleApp) string  { return app.Name + "-auth" }

// selectorOf returns the labels of the Pods that serve.
func selectorOf(app *v1alpha1.ExampleApp) labels.Set {
	return labels.Set{"app.kubernetes.io/name": "example-app", "app.kubernetes.io/instance": app.Name}
}

func claimFor(app *v1alpha1.ExampleApp, name string) *corev1.PersistentVolumeClaim {
	storage := app.Spec.Storage
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.PersistentVolumeAccessMode(storage.AccessMode)},
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: *storage.Size},
			},
		},
	}
	if storage.StorageClassName != "" {
		claim.Spec.StorageClassName = &storage.StorageClassName
	}
	return claim
}

// settingsFor returns the environment of the servers: what follows from the memory and the features, and in its place
// what the user says.
func settingsFor(app *v1alpha1.ExampleApp) map[string]string {
	settings := map[string]string{}
	if app.Spec.Resources != nil {
		if memory := app.Spec.Resources.Limits.Memory().Value(); memory > 0 {
			settings["GOMEMLIMIT"] = strconv.FormatInt(memory*9/10, 10)
			settings["MAX_VALUE_BYTES"] = strconv.FormatInt(memory/64, 10)
		}
	}
	if features := app.Spec.Features; features != nil {
		settings["EXAMPLE_FEATURE_1"] = strconv.FormatBool(features.ExampleFeature1)
		settings["EXAMPLE_FEATURE_2"] = strconv.FormatBool(features.ExampleFeature2)
	}
	maps.Copy(settings, app.Spec.Config)
	return settings
}

func serviceFor(app *v1alpha1.ExampleApp) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name},
		Spec: corev1.ServiceSpec{
			Selector: selectorOf(app),
			Ports:    []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("http")}},
		},
	}
}

func autoscalerFor(app *v1alpha1.ExampleApp) *autoscalingv2.HorizontalPodAutoscaler {
	autoscaling := app.Spec.Autoscaling
	return &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: app.Name},
			MinReplicas:    &autoscaling.MinReplicas,
			MaxReplicas:    autoscaling.MaxReplicas,
			Metrics: []autoscalingv2.MetricSpec{{
				Type: autoscalingv2.ResourceMetricSourceType,
				Resource: &autoscalingv2.ResourceMetricSource{
					Name:   corev1.ResourceCPU,
					Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &autoscaling.TargetCPU},
				},
			}},
		},
	}
}

// deploymentFor returns the servers of a version. Other settings restart them, since they read them when they start.
func deploymentFor(app *v1alpha1.ExampleApp, version string) *appsv1.Deployment {
	container := containerFor(app, version, "serve")
	container.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}}
	container.ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
		HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromString("http")},
	}}
	container.EnvFrom = []corev1.EnvFromSource{{
		ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: app.Name}},
	}}
	container.Env = []corev1.EnvVar{{Name: "TOKEN", ValueFrom: &corev1.EnvVarSource{
		SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: authSecret(app)}, Key: "token",
		},
	}}}
	if app.Spec.Resources != nil {
		container.Resources = *app.Spec.Resources
	}
	pod := podFor(app, container)
	pod.RestartPolicy = corev1.RestartPolicyAlways
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: app.Name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: selectorOf(app)},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels:      selectorOf(app),
					Annotations: map[string]string{settingsAnnotation: hashOf(settingsFor(app))},
				},
				Spec: pod,
			},
		},
	}
}

// containerFor returns the application with a command, in a version.
func containerFor(app *v1alpha1.ExampleApp, version string, args ...string) corev1.Container {
	return corev1.Container{
		Name:         "app",
		Image:        app.Spec.Image + ":" + version,
		Args:         args,
		VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/data"}, {Name: "backups", MountPath: "/backups"}},
		SecurityContext: &corev1.SecurityContext{
			AllowPrivilegeEscalation: new(false),
			Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
}

// podFor returns a Pod with data and backups that runs without privileges.
func podFor(app *v1alpha1.ExampleApp, container corev1.Container) corev1.PodSpec {
	user := int64(65532)
	claim := func(volume, name string) corev1.Volume {
		source := &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}
		return corev1.Volume{Name: volume, VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: source}}
	}
	return corev1.PodSpec{
		Containers: []corev1.Container{container},
		Volumes:    []corev1.Volume{claim("data", dataClaim(app)), claim("backups", backupClaim(app))},
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot: new(true), RunAsUser: &user, FSGroup: &user,
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
		AutomountServiceAccountToken: new(false),
	}
}

// hashOf returns a short text that differs for different settings.
func hashOf(settings map[string]string) string {
	text, err := json.Marshal(settings) // in the order of the keys
	if err != nil {
		panic(err) // a map of texts is always valid
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
