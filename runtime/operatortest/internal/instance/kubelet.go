package instance

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kubeletPause is the pause between two looks of the kubelet for new Pods.
const kubeletPause = 5 * Interval

// startKubelet plays the kubelet for each Pod of the test's namespace, once, as it appears. It ends after
// the objects of the test are deleted.
func (o *Operator) startKubelet() {
	if o.Config.Kubelet == nil {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		played := map[types.UID]bool{}
		for ctx.Err() == nil {
			o.playNewPods(ctx, played)
			select {
			case <-ctx.Done():
			case <-time.After(kubeletPause):
			}
		}
	}()
	o.T.Cleanup(func() { stop(); <-ended })
}

// playNewPods sets the status of Pods that have not been played. It tries those again that it cannot
// write: their controllers write them, too.
func (o *Operator) playNewPods(ctx context.Context, played map[types.UID]bool) {
	var pods corev1.PodList
	if err := o.Client.List(ctx, &pods, client.InNamespace(o.Namespace)); err != nil {
		return
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if played[pod.UID] || pod.DeletionTimestamp != nil {
			continue
		}
		o.Config.Kubelet(pod, time.Now())
		played[pod.UID] = o.Client.Status().Update(ctx, pod) == nil
	}
}
