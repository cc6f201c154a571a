package exampleapp

import (
	"fmt"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/example-app/api/v1alpha1"
)

// beforeJob backs up what an upgrade may have to put back. The version that serves runs it.
func beforeJob(app *v1alpha1.ExampleApp, current, target string) *batchv1.Job {
	return jobFor(app, stepName(app, "before", target), current, "backup", "--to="+placeOf(app, stepName(app, "before", target)))
}

// migrateJob converts the data into the format of a version. That version runs it.
func migrateJob(app *v1alpha1.ExampleApp, target string) *batchv1.Job {
	return jobFor(app, stepName(app, "migrate", target), target, "migrate")
}

// undoJob puts the data back that were there before an upgrade. The version that served then runs it, since the other one
// may not run at all.
func undoJob(app *v1alpha1.ExampleApp, current, target string) *batchv1.Job {
	return jobFor(app, stepName(app, "undo", target), current, "restore", "--from="+placeOf(app, stepName(app, "before", target)))
}

// restoreJob replaces the data by a backup. The version that wrote the backup runs it.
func restoreJob(app *v1alpha1.ExampleApp, version, backup string) *batchv1.Job {
	return jobFor(app, stepName(app, "restore", backup), version, "restore", "--from="+placeOf(app, backup))
}

// backupJob writes a backup beside the running application.
func backupJob(app *v1alpha1.ExampleApp, version, name string) *batchv1.Job {
	return jobFor(app, name, version, "backup", "--to="+placeOf(app, name), fmt.Sprintf("--keep=%d", app.Spec.Backup.Keep))
}

func stepName(app *v1alpha1.ExampleApp, step, subject string) string {
	return app.Name + "-" + step + "-" + strings.ReplaceAll(strings.TrimPrefix(subject, app.Name+"-"), ".", "-")
}

// placeOf returns where a backup is: a file on the volume of backups, or an address in an object store.
func placeOf(app *v1alpha1.ExampleApp, backup string) string {
	if spec := app.Spec.Backup; spec != nil && spec.StorageType == v1alpha1.ExampleAppBackupStorageTypeS3 {
		return "https://" + *spec.Host + "/" + *spec.BucketName + "/" + backup
	}
	return "/backups/" + backup
}

// jobFor runs the application with a command once. A Pod that fails is tried again twice, and the Job may take half of
// the time of an upgrade, so that the other half is left for the way back.
func jobFor(app *v1alpha1.ExampleApp, name, version string, args ...string) *batchv1.Job {
	pod := podFor(app, containerFor(app, version, args...))
	pod.RestartPolicy = corev1.RestartPolicyNever
	retries, seconds := int32(2), max(int64(app.Spec.UpgradeDeadline.Seconds())/2, 1)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{
			BackoffLimit:          &retries,
			ActiveDeadlineSeconds: &seconds,
			Template:              corev1.PodTemplateSpec{Spec: pod},
		},
	}
}
