package usertemplates

import (
	"slices"
	"strconv"
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
	showName  = "opgen_show"
	rangeName = "opgen_range"
)

// limitRuns adds calls to a tree: at its beginning, at its end and in each loop, where they fail if templates call each
// other too deeply or take too long; and behind what an action prints and a loop ranges over, where they fail if
// text/template would print what has no end. It has no such limits, and its execution cannot be interrupted.
func limitRuns(tree *parse.Tree) {
	if tree.Root == nil {
		return
	}
	all := weightOf(tree.Root)
	eachNode(tree.Root, func(n parse.Node) {
		switch n := n.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				n.Pipe.Cmds = append(n.Pipe.Cmds, commandOf(showName, endOf(n.Pipe)))
			}
		case *parse.RangeNode:
			step := callOf(n.Pos, n.Line, commandOf(stepName, n.Pos, weightOf(n.List)...))
			n.Pipe.Cmds = append(n.Pipe.Cmds, commandOf(rangeName, endOf(n.Pipe)))
			n.List.Nodes = append([]parse.Node{step}, n.List.Nodes...)
		}
	})
	at := tree.Root.Pos
	enter, leave := callOf(at, 1, commandOf(enterName, at, all...)), callOf(at, 1, commandOf(leaveName, at))
	tree.Root.Nodes = slices.Concat([]parse.Node{enter}, tree.Root.Nodes, []parse.Node{leave})
}

// endOf returns where the last command of a pipeline is.
func endOf(pipe *parse.PipeNode) parse.Pos { return pipe.Cmds[len(pipe.Cmds)-1].Pos }

// weightOf returns what it costs to run through nodes once, and how often they call index, as literals.
func weightOf(list *parse.ListNode) []parse.Node {
	cost, indexes := 0, 0
	eachNode(list, func(n parse.Node) {
		cost++
		switch n := n.(type) {
		case *parse.IdentifierNode:
			if n.Ident == "index" {
				indexes++
			}
		case *parse.FieldNode:
			cost += namesLength(n.Ident) / 64
		case *parse.VariableNode:
			cost += namesLength(n.Ident) / 64
		case *parse.ChainNode:
			cost += namesLength(n.Field) / 64
		}
	})
	return []parse.Node{numberOf(list.Pos, cost/8), numberOf(list.Pos, indexes)}
}

func namesLength(names []string) int {
	length := 0
	for _, name := range names {
		length += len(name)
	}
	return length
}

func numberOf(pos parse.Pos, number int) parse.Node {
	return &parse.NumberNode{NodeType: parse.NodeNumber, Pos: pos, IsInt: true, Int64: int64(number), Text: strconv.Itoa(number)}
}

// callOf returns a node that runs a command.
func callOf(pos parse.Pos, line int, command *parse.CommandNode) parse.Node {
	return &parse.ActionNode{NodeType: parse.NodeAction, Pos: pos, Line: line, Pipe: &parse.PipeNode{
		NodeType: parse.NodePipe, Pos: pos, Line: line, Cmds: []*parse.CommandNode{command},
	}}
}

// commandOf returns a command that calls a function.
func commandOf(name string, pos parse.Pos, args ...parse.Node) *parse.CommandNode {
	return &parse.CommandNode{
		NodeType: parse.NodeCommand, Pos: pos, Args: append([]parse.Node{parse.NewIdentifier(name).SetPos(pos)}, args...),
	}
}
