package exampleapp

import "github.com/opgen-dev/opgen/runtime/operator"

// remedy replaces Pods whose container was restarted too often, which no probe does. The next Pod may run on another
// node.
func (p *plan) remedy() {
	for pod := range p.Related.Pods.All() {
		if pod.DeletionTimestamp != nil || p.Related.Pods.Ready(pod.Name) {
			continue
		}
		for _, container := range pod.Status.ContainerStatuses {
			if container.RestartCount >= p.Parent.Spec.MaxRestarts {
				p.response.Delete = append(p.response.Delete, pod)
				p.status.Remediations++
				p.status.LastError = "Pod " + pod.Name + " was replaced: its container was restarted too often"
				p.response.Events = append(p.response.Events, operator.Event{
					Type: "Warning", Reason: "PodReplaced", Message: p.status.LastError,
				})
				break
			}
		}
	}
}
