package declared

import "strings"

// The options for the deletion policies of a child count when Sync no longer mentions the child, so
// that the child carries them in an annotation. Its value names the policy if both are the same,
// as in "Orphan", which is all that earlier versions wrote. Otherwise it names each that is set, as
// in "whenDropped=Orphan,whenDeleted=Delete".
const (
	droppedPrefix = "whenDropped="
	deletedPrefix = "whenDeleted="
)

// DeletionText returns the deletion policies as a child carries them. It is empty if none is set.
func (p Policies) DeletionText() string {
	if p.WhenDropped == p.WhenDeleted {
		return string(p.WhenDropped)
	}
	var set []string
	if p.WhenDropped != "" {
		set = append(set, droppedPrefix+string(p.WhenDropped))
	}
	if p.WhenDeleted != "" {
		set = append(set, deletedPrefix+string(p.WhenDeleted))
	}
	return strings.Join(set, ",")
}

// ParseDeletionText returns the deletion policies that a child carries. It leaves out what is no
// policy, so that the policy of the kind counts.
func ParseDeletionText(text string) (set Policies) {
	for part := range strings.SplitSeq(text, ",") {
		dropped, isDropped := strings.CutPrefix(part, droppedPrefix)
		deleted, isDeleted := strings.CutPrefix(part, deletedPrefix)
		switch {
		case isDropped:
			set.WhenDropped = validDeletionPolicy(dropped)
		case isDeleted:
			set.WhenDeleted = validDeletionPolicy(deleted)
		case part == text:
			set.WhenDropped, set.WhenDeleted = validDeletionPolicy(text), validDeletionPolicy(text)
		}
	}
	return set
}

// validDeletionPolicy returns the policy of a name. It is empty if there is none.
func validDeletionPolicy(name string) DeletionPolicy {
	if policy := DeletionPolicy(name); policy == Delete || policy == Orphan {
		return policy
	}
	return ""
}
