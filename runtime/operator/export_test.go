package operator

// SetProgram says what the file of the program is called, as parse does.
func (o *Options) SetProgram(name string) { o.program = name }
