package main

// longSteps is what takes long, as measured on two cores, rounded.
var longSteps = []struct{ what, first, later string }{
	{"build opgen", "2 min", "2 s"},
	{"build and test the project", "2 min", "6 s"},
	{"build the control plane, in part beside the project", "4 min", "0 s"},
	{"all else", "10 s", "6 s"},
	{"together", "9 min", "15 s"},
}

// printOverview says what the demo is going to do, and what takes how long.
func printOverview(s *screen, temp string, steps int) {
	const row = "  %-52s %10s %8s"
	s.print("From a spec file to a running operator on a real Kubernetes API server, in %d steps.", steps)
	s.print("")
	s.print(row, "About, on two cores", "first time", "later")
	for _, step := range longSteps {
		s.print(row, step.what, step.first, step.later)
	}
	s.print("")
	s.print("The first time downloads Go modules and compiles them. Steps that take long say how long they")
	s.print("still take here. The control plane is built beside the project and after it, unless an")
	s.print("opgen cluster up has built it before or KUBEBUILDER_ASSETS has one.")
	s.print("What Go compiles and the control plane stay in their caches. Everything else is in")
	s.print("%s, and gone at the end or after Ctrl-C.", temp)
	s.print("")
}
