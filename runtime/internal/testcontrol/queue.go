package testcontrol

import (
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// NewQueue makes the loop's work queue: controller-runtime's own, which tells the
// loop of each parent that is added to it, so that one on its way from the queue
// to a worker is not overlooked.
func (l *Loop) NewQueue(name string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return &watchedQueue{priorityqueue.New(name, func(o *priorityqueue.Opts[reconcile.Request]) { o.RateLimiter = limiter }), l}
}

type watchedQueue struct {
	priorityqueue.PriorityQueue[reconcile.Request]
	loop *Loop
}

func (q *watchedQueue) Add(item reconcile.Request) { q.AddWithOpts(priorityqueue.AddOpts{}, item) }

func (q *watchedQueue) AddWithOpts(options priorityqueue.AddOpts, items ...reconcile.Request) {
	if options.After == 0 && !options.RateLimited {
		q.loop.expectRequests(items)
	}
	q.PriorityQueue.AddWithOpts(options, items...)
}

// GetWithPriority is called once the event handlers of all caches are added and
// were called with what the caches held: that is when controller-runtime starts
// the workers of a controller.
func (q *watchedQueue) GetWithPriority() (item reconcile.Request, priority int, shutdown bool) {
	q.loop.setWorking()
	return q.PriorityQueue.GetWithPriority()
}
