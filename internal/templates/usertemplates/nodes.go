package usertemplates

import (
	"slices"
	"text/template/parse"
)

// eachNode calls visit with a node and all nodes below it.
func eachNode(node parse.Node, visit func(parse.Node)) {
	visit(node)
	switch n := node.(type) {
	case *parse.ListNode:
		for _, below := range n.Nodes {
			eachNode(below, visit)
		}
	case *parse.ActionNode:
		eachNode(n.Pipe, visit)
	case *parse.TemplateNode:
		if n.Pipe != nil {
			eachNode(n.Pipe, visit)
		}
	case *parse.PipeNode:
		for _, command := range n.Cmds {
			eachNode(command, visit)
		}
	case *parse.CommandNode:
		for _, argument := range n.Args {
			eachNode(argument, visit)
		}
	case *parse.ChainNode:
		eachNode(n.Node, visit)
	case *parse.IfNode:
		eachOfBranch(&n.BranchNode, visit)
	case *parse.WithNode:
		eachOfBranch(&n.BranchNode, visit)
	case *parse.RangeNode:
		eachOfBranch(&n.BranchNode, visit)
	}
}

func eachOfBranch(n *parse.BranchNode, visit func(parse.Node)) {
	eachNode(n.Pipe, visit)
	eachNode(n.List, visit)
	if n.ElseList != nil {
		eachNode(n.ElseList, visit)
	}
}

// limitRuns adds calls of these functions.
const (
	enterName = "opgen_enter"
	leaveName = "opgen_leave"
	stepName  = "opgen_step"
)

// limitRuns adds calls to a tree, at its beginning, at its end and in each loop. They fail if
// templates call each other too deeply, or if loops take too long. text/template has no such
// limits, and its execution cannot be interrupted.
func limitRuns(tree *parse.Tree) {
	if tree.Root == nil {
		return
	}
	eachNode(tree.Root, func(n parse.Node) {
		if loop, ok := n.(*parse.RangeNode); ok {
			loop.List.Nodes = append([]parse.Node{callOf(stepName, loop.Pos, loop.Line)}, loop.List.Nodes...)
		}
	})
	at := tree.Root.Pos
	tree.Root.Nodes = slices.Concat([]parse.Node{callOf(enterName, at, 1)}, tree.Root.Nodes, []parse.Node{callOf(leaveName, at, 1)})
}

// callOf returns a node that calls a function without arguments.
func callOf(name string, pos parse.Pos, line int) parse.Node {
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: pos, Line: line, Pipe: &parse.PipeNode{
		NodeType: parse.NodePipe, Pos: pos, Line: line, Cmds: []*parse.CommandNode{{
			NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{parse.NewIdentifier(name).SetPos(pos)},
		}},
	}}
}
