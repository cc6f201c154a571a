// Package explore proves that an operator finds each drift and carries out each change of what is
// desired, by trials over each child of each parent.
//
// A plan (plan.go, cases.go) has the trials: mutations (mutations.go, metadata.go) of the values of
// a child by foreign writers (write.go) or by the author (author.go), lives of parents with faults
// (life.go), copies of children (lookalike.go), quotas (quota.go), changes of related objects
// (related.go, related_round.go) and deleted namespaces (termination.go). Trials run in rounds with
// many parents at once (round.go). Afterwards each child is compared with what was desired
// (result.go, author_compare.go), and each trial is reported as a subtest (report.go).
package explore
