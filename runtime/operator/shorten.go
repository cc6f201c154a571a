package operator

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// Shorten returns a name with at most limit bytes, for a child whose name contains its parent's, or for the value of a
// label. A name that is short enough stays as it is. Of a longer one the beginning stays, with a hash of the whole name,
// so that two names differ after it, too, and the same name is shortened in the same way for ever. The limit is at least
// 10: 63 for a Job, a Service or a label, 52 for a StatefulSet or a CronJob, to whose names Kubernetes adds.
//
//	database := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: operator.Shorten(shop.Name+"-db", 52)}}
func Shorten(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	hash := fnv.New32a()
	hash.Write([]byte(name))
	return fmt.Sprintf("%s-%08x", strings.TrimRight(name[:max(limit-9, 1)], "-._"), hash.Sum32())
}
