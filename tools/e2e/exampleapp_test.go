package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const shop = `
apiVersion: example-app.appdelivery.cncf.io/v1alpha1
kind: ExampleApp
metadata: {name: shop}
spec:
  appVersion: 1.0.0
  image: IMAGE
  storage: {size: 10Mi}
  backup: {schedule: "* * * * *", keep: 20}
  upgradeDeadline: 90s`

// exampleApp is the ExampleApp of the test, whose application has real data.
type exampleApp struct {
	*project
	*testing.T
	namespace, token string
	object           *unstructured.Unstructured
	values           map[string]string // what clients have written
}

// TestExampleApp carries the data of an application through its life, while the operator is killed in the middle of each
// step.
func TestExampleApp(t *testing.T) {
	t.Parallel()
	p := newProject(t, "example-app")
	p.onePlatform(t)
	image := p.pushVersions(t)
	p.deploy(t, "install")
	a := &exampleApp{project: p, T: t, namespace: p.newNamespace(t), values: map[string]string{}}
	a.object = p.create(t, a.namespace, strings.ReplaceAll(shop, "IMAGE", image))
	a.install()
	a.recover(a.backUp())
	a.upgrade()
	a.rollBack()
	a.scale()

	// The data stay when the ExampleApp goes.
	data := p.claims(t, a.namespace)
	p.deleteAndWait(t, a.object)
	p.remove(t)
	p.expectClaims(t, a.namespace, data)
}

// pushVersions builds three versions of the application. The last one is broken: its migration removes all data, and it
// does not serve.
func (p *project) pushVersions(t *testing.T) (image string) {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(p.checkout, "examples", "example-app", "app", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range sources {
		if !strings.HasSuffix(file, "_test.go") {
			write(t, filepath.Join(p.dir, "app", filepath.Base(file)), read(t, file))
		}
	}
	image = p.registry + "/" + p.name + "-app"
	push := func(version string) {
		p.run(t, p.opgen, "image", "./app", "--tag", image+":"+version, "--platform", "linux/"+runtime.GOARCH, "--archive", "bin/app.tar", "--push")
	}
	push("1.0.0")
	p.edit(t, "app/main.go", `version = "1.0.0"`, `version = "2.0.0"`)
	push("2.0.0")
	p.edit(t, "app/main.go", `version = "2.0.0"`, `version = "3.0.0"`)
	p.edit(t, "app/main.go", `return migrate(*data, dataFormat())`, `return os.RemoveAll(folderOf(*data, dataFormat()))`)
	p.edit(t, "app/server.go", `Addr: listen,`, `Addr: "nowhere" + listen,`)
	push("3.0.0")
	return image
}

func (a *exampleApp) install() {
	a.kill(a.T)
	a.says("1.0.0", "UpToDate", 1)
	secret := new(corev1.Secret)
	if err := a.api.Get(a.Context(), client.ObjectKey{Namespace: a.namespace, Name: "shop-auth"}, secret); err != nil {
		a.Fatal(err)
	}
	a.token = string(secret.Data["token"])
	for i := range 20 {
		a.put(fmt.Sprintf("key-%d", i), fmt.Sprintf("value %d of 1.0.0", i))
	}
	a.expectValues()
	if _, err := a.send(http.MethodGet, "keys", "another token", ""); err == nil {
		a.Error("a client with a wrong token is served")
	}
}

// backUp waits for a backup of the schedule that has all values, and returns its name.
func (a *exampleApp) backUp() (name string) {
	a.kill(a.T)
	written := metav1.Now()
	eventually(a.T, "a backup of the schedule is complete", func() error {
		backups, _, _ := unstructured.NestedSlice(a.get().Object, "status", "backup", "backups")
		if len(backups) == 0 {
			return fmt.Errorf("there is none")
		}
		latest := backups[0].(map[string]any)
		job := a.job(latest["name"].(string))
		if job == nil || job.Status.StartTime.Before(&written) {
			return fmt.Errorf("the latest one began earlier")
		}
		name = job.Name
		return nil
	})
	return name
}

// recover loses the volume of the data, and restores a backup.
func (a *exampleApp) recover(backup string) {
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: a.namespace, Name: "shop-data"}}
	if err := a.api.Delete(a.Context(), claim); err != nil {
		a.Fatal(err)
	}
	// Pods protect the claim as long as they exist, also those of backups that are complete.
	if err := a.api.DeleteAllOf(a.Context(), new(corev1.Pod), client.InNamespace(a.namespace)); err != nil {
		a.Fatal(err)
	}
	eventually(a.T, "the application has lost its data", func() error {
		keys, err := a.send(http.MethodGet, "keys", a.token, "")
		if err == nil && strings.TrimSpace(keys) != "[]" {
			err = fmt.Errorf("it has %s", keys)
		}
		return err
	})
	a.change(`{"restoreFrom":"` + backup + `"}`)
	a.awaitJob("shop-restore-" + strings.TrimPrefix(backup, "shop-"))
	a.kill(a.T)
	eventually(a.T, "the backup is restored", func() error {
		if restored, _, _ := unstructured.NestedString(a.get().Object, "status", "restoredFrom"); restored != backup {
			return fmt.Errorf("the status says %q", restored)
		}
		return nil
	})
	a.says("1.0.0", "UpToDate", 1)
	a.expectValues()
}

func (a *exampleApp) upgrade() {
	a.change(`{"appVersion":"2.0.0"}`)
	a.awaitJob("shop-before-2-0-0")
	a.kill(a.T)
	a.says("2.0.0", "UpToDate", 1)
	a.expectValues()
	a.put("of-2", "written by 2.0.0")
	a.expectValues()
}

// rollBack upgrades to a version that loses the data and does not serve.
func (a *exampleApp) rollBack() {
	a.change(`{"appVersion":"3.0.0"}`)
	a.awaitJob("shop-migrate-3-0-0")
	a.kill(a.T)
	a.says("2.0.0", "RolledBack", 1)
	a.expectValues()
	a.change(`{"appVersion":"2.0.0"}`)
	a.says("2.0.0", "UpToDate", 1)
}

// scale has more Pods, first as the user says, then as an autoscaler does.
func (a *exampleApp) scale() {
	a.change(`{"replicas":3}`)
	a.kill(a.T)
	a.says("2.0.0", "UpToDate", 3)
	a.put("of-three", "written by one of three Pods")
	a.expectValues()
	a.change(`{"autoscaling":{"minReplicas":1,"maxReplicas":2}}`) // the autoscaler lowers what is above its bounds
	a.kill(a.T)
	a.says("2.0.0", "UpToDate", 2)
	a.change(`{"autoscaling":{"minReplicas":4,"maxReplicas":5}}`)
	a.says("2.0.0", "UpToDate", 4)
	a.put("of-four", "written by one of four Pods")
	a.expectValues()
}

// get returns the ExampleApp as it is now.
func (a *exampleApp) get() *unstructured.Unstructured {
	a.Helper()
	if err := a.api.Get(a.Context(), client.ObjectKeyFromObject(a.object), a.object); err != nil {
		a.Fatal(err)
	}
	return a.object
}

// change merges a text of JSON into the spec.
func (a *exampleApp) change(spec string) {
	a.Helper()
	a.patch(a.T, a.object, `{"spec":`+spec+`}`)
}

// says waits until the status has a version, the reason of its condition Upgraded and the number of Pods that serve, and
// nothing is left to do.
func (a *exampleApp) says(version, reason string, pods int64) {
	a.Helper()
	eventually(a.T, fmt.Sprintf("version %s serves with %d Pods, and Upgraded says %s", version, pods, reason), func() error {
		status, _, _ := unstructured.NestedMap(a.get().Object, "status")
		reasons := map[string]string{}
		conditions, _, _ := unstructured.NestedSlice(status, "conditions")
		for _, condition := range conditions {
			fields := condition.(map[string]any)
			reasons[fields["type"].(string)] = fields["reason"].(string)
		}
		if status["currentVersion"] != version || status["readyReplicas"] != pods || status["replicas"] != pods ||
			reasons["Upgraded"] != reason || reasons["Ready"] != "Ready" {
			return fmt.Errorf("the status is %v", status)
		}
		return nil
	})
	a.Logf("version %s serves with %d Pods, and Upgraded says %s", version, pods, reason)
}

// job returns a Job, or nil if there is none.
func (a *exampleApp) job(name string) *batchv1.Job {
	job := new(batchv1.Job)
	if err := a.api.Get(a.Context(), client.ObjectKey{Namespace: a.namespace, Name: name}, job); err != nil {
		return nil
	}
	return job
}

func (a *exampleApp) awaitJob(name string) {
	a.Helper()
	eventually(a.T, "Job "+name+" exists", func() error {
		if a.job(name) == nil {
			return fmt.Errorf("it does not")
		}
		return nil
	})
}

func (a *exampleApp) put(key, value string) {
	a.Helper()
	if _, err := a.send(http.MethodPut, "keys/"+key, a.token, value); err != nil {
		a.Fatal(err)
	}
	a.values[key] = value
}

// expectValues compares all that clients have written.
func (a *exampleApp) expectValues() {
	a.Helper()
	for key, want := range a.values {
		eventually(a.T, "the value of "+key, func() error {
			got, err := a.send(http.MethodGet, "keys/"+key, a.token, "")
			if err == nil && got != want {
				err = fmt.Errorf("it is %q, want %q", got, want)
			}
			return err
		})
	}
}

// send sends a request to the application through the API server.
func (a *exampleApp) send(method, path, token, body string) (string, error) {
	address := fmt.Sprintf("%s/api/v1/namespaces/%s/services/shop:http/proxy/%s", a.server, a.namespace, path)
	request, err := http.NewRequestWithContext(a.Context(), method, address, bytes.NewBufferString(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("X-Auth-Token", token)
	response, err := a.http.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s: %s", response.Status, data)
	}
	return string(data), err
}
