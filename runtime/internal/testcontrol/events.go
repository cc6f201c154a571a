package testcontrol

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Events returns how many different Events reconciles have recorded.
func (l *Loop) Events() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.events)
}

// Recorder returns a recorder that counts Events, too.
func (l *Loop) Recorder(recorder events.EventRecorder) events.EventRecorder {
	return countingRecorder{recorder, l}
}

type countingRecorder struct {
	events.EventRecorder
	loop *Loop
}

// Eventf records an Event. The API server counts equal ones as one.
func (r countingRecorder) Eventf(regarding, related runtime.Object, eventType, reason, action, note string, args ...any) {
	parent := regarding.(client.Object)
	r.loop.addEvent(fmt.Sprintln(parent.GetUID(), parent.GetResourceVersion(), eventType, reason, action))
	r.EventRecorder.Eventf(regarding, related, eventType, reason, action, note, args...)
}

func (l *Loop) addEvent(event string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events[event] = true
}
