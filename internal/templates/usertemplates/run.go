package usertemplates

import (
	"bytes"
	"errors"
	"reflect"
	"text/template"
)

const (
	maxDepth = 100           // of templates that call each other
	maxCosts = 2000000       // of one file: calls, iterations, and what they read and make
	maxTotal = 20 * maxCosts // of all files of a folder
	maxMade  = 256 << 20     // bytes of all files of a folder
)

var errEndless = errors.New("templates call each other without end")

// run counts what the templates do while one file is rendered.
type run struct {
	depth, costs int
	largest      int // bytes of the largest text that there is
	total        int // costs of all files
}

func (r *run) enter(cost, indexes int) (string, error) {
	if r.depth++; r.depth > maxDepth {
		return "", errEndless
	}
	return r.step(cost, indexes)
}

func (r *run) leave() string {
	r.depth--
	return ""
}

// step spends what it costs to run through some nodes. index of text/template is called directly, and hashes its keys.
func (r *run) step(cost, indexes int) (string, error) {
	return "", r.spend(1 + cost + indexes*r.largest/8192)
}

// keep notes the size of a text that there is from now on.
func (r *run) keep(size int) { r.largest = max(r.largest, size) }

// spend returns an error if the templates of one file, or of all files, have done too much.
func (r *run) spend(cost int) error {
	r.costs, r.total = r.costs+cost, r.total+cost
	switch {
	case cost < 0 || r.costs > maxCosts:
		return errors.New("takes too long: are there loops in loops?")
	case r.total > maxTotal:
		return errors.New("takes too long together with the files before it")
	}
	return nil
}

// show returns a value that an action prints, and an error if its text has no end or is too large.
func (r *run) show(value any) (any, error) {
	e, err := measure(reflect.ValueOf(value))
	switch {
	case err != nil:
	case e.opaque:
		err = errOpaque
	case e.bytes+e.values*64 > maxTextMade:
		err = errTooLarge
	default:
		err = r.spend(e.values / 16)
	}
	return value, err
}

// rangeOver returns a value that a loop ranges over. text/template prints a value without items, whatever it contains.
func (r *run) rangeOver(value any) (any, error) {
	items := reflect.ValueOf(value)
	for items.Kind() == reflect.Interface || items.Kind() == reflect.Pointer && !items.IsNil() {
		items = items.Elem()
	}
	if items.Kind() == reflect.Struct || items.Kind() == reflect.Func {
		return nil, errors.New("there is nothing to range over: the value is no list and no dict")
	}
	return value, nil
}

// ownFunctions returns include, which reads the templates of the set, and the functions that limitRuns adds calls of.
func (s *Set) ownFunctions() template.FuncMap {
	return template.FuncMap{
		"include": limitCall("include", s.include, &s.run),
		enterName: s.run.enter, leaveName: s.run.leave, stepName: s.run.step, showName: s.run.show, rangeName: s.run.rangeOver,
	}
}

// include returns the output of a template of the folder as a string, so that it can be piped: include "labels" . | indent 2.
func (s *Set) include(name string, dot any) (string, error) {
	if s.shared.Lookup(name) == nil {
		return "", errors.New(`no template "` + name + `" is defined`)
	}
	out := limitedBuffer{spend: s.run.spend}
	err := s.shared.ExecuteTemplate(&out, name, dot)
	return out.String(), err
}

// limitedBuffer is a buffer that fails beyond maxText, and where writing costs too much.
type limitedBuffer struct {
	bytes.Buffer
	spend func(cost int) error
}

func (b *limitedBuffer) Write(text []byte) (int, error) {
	if b.Len()+len(text) > maxText {
		return 0, errTooLarge
	}
	if err := b.spend(len(text) / 64); err != nil {
		return 0, err
	}
	return b.Buffer.Write(text)
}
