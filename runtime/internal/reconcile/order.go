package reconcile

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/opgen-dev/opgen/runtime/internal/apply"
)

// missingFirst returns the tasks with those of children that were not observed before the others. The
// create of a child shows whether it only has lost its marks; then nothing must have been changed
// by an answer of Sync that takes it for absent.
func missingFirst(tasks []task) []task {
	slices.SortStableFunc(tasks, func(a, b task) int {
		switch {
		case (a.observed == nil) == (b.observed == nil):
			return 0
		case a.observed == nil:
			return -1
		}
		return 1
	})
	return tasks
}

// orderTasks sorts tasks so that each comes after those that it waits for, and after the Namespace that
// it lies in, if that is created, too. It otherwise keeps their order. It returns an error if a task waits for itself or for one that is not desired.
//
// One that comes after an unserved child waits as that does.
func orderTasks(tasks []task, unserved []child) ([]task, error) {
	namespaces := namespaceTasks(tasks)
	if len(namespaces) == 0 && !slices.ContainsFunc(tasks, task.hasDependencies) {
		return tasks, nil
	}
	byKey := make(map[apply.Key]int, len(tasks))
	for i, task := range tasks {
		byKey[task.Key()] = i
	}
	ordered := make([]task, 0, len(tasks))
	const unseen, visiting, done = 0, 1, 2
	visited := make([]int, len(tasks))
	var visit func(i int) error
	visit = func(i int) error {
		switch visited[i] {
		case done:
			return nil
		case visiting:
			return errInvalid{fmt.Errorf("%s is part of a dependency cycle", tasks[i].Key())}
		}
		visited[i] = visiting
		for _, key := range tasks[i].dependencies() {
			before, ok := byKey[key]
			if !ok && slices.ContainsFunc(unserved, func(c child) bool { return c.mayHaveKey(key) }) {
				continue
			}
			if !ok {
				return errInvalid{fmt.Errorf("%s comes after %s, which is not desired", tasks[i].Key(), key)}
			}
			if err := visit(before); err != nil {
				return err
			}
		}
		if namespace, ok := namespaces[tasks[i].Name.Namespace]; ok && visited[namespace] == unseen {
			if err := visit(namespace); err != nil {
				return err
			}
		}
		visited[i] = done
		ordered = append(ordered, tasks[i])
		return nil
	}
	for i := range tasks {
		if visited[i] == unseen {
			if err := visit(i); err != nil {
				return nil, err
			}
		}
	}
	return ordered, nil
}

// mayHaveKey reports whether an unserved child is the one of a key. Nothing completes their namespaces.
func (c child) mayHaveKey(key apply.Key) bool {
	isComplete := c.name.Namespace != "" && key.Name.Namespace != ""
	return c.GroupVersionKind == key.Kind && c.name.Name == key.Name.Name && (!isComplete || c.name.Namespace == key.Name.Namespace)
}

// namespaceTasks returns the indexes of the tasks that create a Namespace, by its name.
func namespaceTasks(tasks []task) map[string]int {
	indexes := map[string]int{}
	for i, t := range tasks {
		if t.Kind.GroupKind() == (schema.GroupKind{Kind: "Namespace"}) && t.observed == nil {
			indexes[t.Name.Name] = i
		}
	}
	return indexes
}

// dropDependents splits off the tasks that come after one which is not among them, such as an
// invalid one.
func dropDependents(tasks []task) (left, dropped []task) {
	for {
		present := make(map[apply.Key]bool, len(tasks))
		for _, task := range tasks {
			present[task.Key()] = true
		}
		missing := func(key apply.Key) bool { return !present[key] }
		left = nil
		for _, t := range tasks {
			if slices.ContainsFunc(t.dependencies(), missing) {
				dropped = append(dropped, t)
			} else {
				left = append(left, t)
			}
		}
		if len(left) == len(tasks) {
			return left, dropped
		}
		tasks = left
	}
}

// dependencies returns the children that a task comes after, at least when it creates its child.
func (t task) dependencies() []apply.Key { return slices.Concat(t.after, t.createAfter) }

// hasDependencies reports whether a child comes after others.
func (t task) hasDependencies() bool { return len(t.after)+len(t.createAfter) > 0 }
