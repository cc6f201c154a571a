package b

func TestOfAnotherModule(t *testing.T) { longtest.Skip(t, "it is in another module") }
