package exampleapp

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/opgen-dev/opgen/runtime/operator"

	"example.com/example-app/api/v1alpha1"
)

// install desires what every version stands on: the claims of data and backups, the token of clients, the
// settings, and the Service.
func (p *plan) install() {
	whenDeleted := operator.Orphan
	if p.Parent.Spec.WhenDeleted == v1alpha1.ExampleAppWhenDeletedDeleteData {
		whenDeleted = operator.Delete
	}
	for _, claim := range []string{dataClaim(p.Parent), backupClaim(p.Parent)} {
		p.want.Claims.Add(claimFor(p.Parent, claim), operator.WhenDeleted(whenDeleted))
	}
	auth := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: authSecret(p.Parent)}}
	p.want.Secrets.Add(auth, operator.Generate("token", operator.Random(32), ""))
	p.want.ConfigMaps.Add(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: p.Parent.Name},
		Data:       settingsFor(p.Parent),
	})
	p.want.Services.Add(serviceFor(p.Parent))
}

// run desires the application in a version, or stopped.
func (p *plan) run(version string, stopped bool) {
	deployment := deploymentFor(p.Parent, version)
	deployment.Spec.Replicas = p.replicas(stopped)
	p.want.Deployments.Add(deployment)
}

// servedVersion returns the version that the Deployment has, once all of its Pods serve. One that is stopped serves
// only if the user wants no Pods. The Deployment may be one that was there before the ExampleApp.
func (p *plan) servedVersion() (version string, isServing bool) {
	deployment, found := p.Children.Deployments.Get(p.Parent.Name)
	if !found || !p.Children.Deployments.Ready(p.Parent.Name) {
		return "", false
	}
	if wanted := p.replicas(false); deployment.Status.ReadyReplicas == 0 && (wanted == nil || *wanted > 0) {
		return "", false
	}
	return versionOf(deployment.Spec.Template), true
}

// versionOf returns the version of the application that Pods run.
func versionOf(template corev1.PodTemplateSpec) string {
	image := template.Spec.Containers[0].Image
	return image[strings.LastIndex(image, ":")+1:]
}

// isStopped reports whether no Pod is left that could write.
func (p *plan) isStopped() bool {
	deployment, found := p.Children.Deployments.Get(p.Parent.Name)
	if !found {
		return p.Related.Pods.Len() == 0
	}
	isScaled := deployment.Spec.Replicas != nil && *deployment.Spec.Replicas == 0 &&
		deployment.Status.ObservedGeneration == deployment.Generation
	return isScaled && deployment.Status.Replicas == 0 && p.Related.Pods.Len() == 0
}

// describe says in the status how the application is, and in the condition Upgraded whether it is the desired
// version.
func (p *plan) describe() {
	p.status.URL = "http://" + p.Parent.Name + "." + p.Parent.Namespace + ".svc"
	p.status.AuthSecretName = authSecret(p.Parent)
	p.status.Selector = selectorOf(p.Parent).String()
	p.status.Replicas, p.status.ReadyReplicas = 0, 0
	if deployment, found := p.Children.Deployments.Get(p.Parent.Name); found {
		p.status.Replicas, p.status.ReadyReplicas = deployment.Status.Replicas, deployment.Status.ReadyReplicas
	}

	upgraded := metav1.Condition{Type: "Upgraded", Status: metav1.ConditionFalse}
	switch {
	case p.status.CurrentVersion == p.Parent.Spec.AppVersion:
		upgraded.Status, upgraded.Reason, upgraded.Message = metav1.ConditionTrue, "UpToDate", "the version is the desired one"
	case p.status.FailedVersion == p.Parent.Spec.AppVersion:
		upgraded.Reason, upgraded.Message = "RolledBack", p.status.LastError
	case p.status.CurrentVersion == "":
		upgraded.Reason, upgraded.Message = "Installing", "no version has served yet"
	default:
		upgraded.Reason, upgraded.Message = "Upgrading", "from "+p.status.CurrentVersion+" to "+p.Parent.Spec.AppVersion
	}
	p.response.Conditions = append(p.response.Conditions, upgraded)
}

// isNotReady says that the application does not serve for a reason that its children do not show.
func (p *plan) isNotReady(reason, message string) {
	p.response.Conditions = append(p.response.Conditions, metav1.Condition{
		Type: "Ready", Status: metav1.ConditionFalse, Reason: reason, Message: message,
	})
}
