module github.com/opgen-dev/opgen/bench

go 1.26.0
