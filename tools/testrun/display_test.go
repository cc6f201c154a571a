package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

func TestDisplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		d := startDisplay(&out)
		defer d.close()
		d.showGo("go: downloading a v1")
		d.showGo("go: downloading b v1")
		d.showGo("cd /src; git config extensions.objectformat")
		d.showGo("0.001s # cd /src; git config extensions.objectformat")
		d.showGo("git status --porcelain")
		sleep := func(d time.Duration) {
			time.Sleep(d)
			synctest.Wait()
		}
		sleep(statusInterval + time.Second)
		d.expect([]testPackage{{path: modulePath + "a", tests: 20}, {path: modulePath + "b", tests: 3}}, 60)
		sleep(statusInterval)
		for range 20 {
			d.countCompiled()
		}
		sleep(2 * statusInterval)
		for range 40 {
			d.countCompiled()
		}
		sleep(statusInterval)
		d.beginPackage(modulePath + "a")
		sleep(statusInterval)
		d.beginPackage(modulePath + "b")
		for range 5 {
			d.countTest(modulePath+"a", "TestA")
		}
		for range 2 {
			d.countTest(modulePath+"b", "TestA")
		}
		d.beginTest(modulePath+"b", "TestB")
		d.beginTest(modulePath+"b", "TestB/sub")
		d.countTest(modulePath+"b", "TestB/sub")
		sleep(4 * statusInterval)
		d.endPackage(modulePath+"b", "ok b")
		sleep(9 * time.Second)
		d.endPackage(modulePath+"a", "ok a")
		sleep(9 * time.Second)
		const expected = ` ..   looking for packages, 12s; downloaded 2 modules
 ..   downloaded 2 modules in 13s
 ..   compiled 0 of 60 packages, 12s
 ..   compiled 20 of 60 packages, 24s
 ..   compiled 20 of 60 packages, 36s, about 1m10s to go
 ..   linking, 48s
 ..   a 0 of 20 tests, 12s
 ..   a 5 of 20 tests, 24s; b 2 of 3 tests and 1 subtests, 12s (TestB)
 ..   a 5 of 20 tests, 36s; b 2 of 3 tests and 1 subtests, 24s (TestB)
 ..   a 5 of 20 tests, 48s; b 2 of 3 tests and 1 subtests, 36s (TestB)
 ..   a 5 of 20 tests, 1m; b 2 of 3 tests and 1 subtests, 48s (TestB)
ok b
ok a
`
		if out.String() != expected {
			t.Errorf("got:\n%s\nexpected:\n%s", out.String(), expected)
		}
	})
}
