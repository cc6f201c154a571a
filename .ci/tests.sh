# For scripts to source: how tests run. Compilers, tests and the API server collect garbage seldom, in up to 1 GiB: net/http
# and go/types with all that they import compile in 31 s of a processor in place of 39 s. Tests against a cluster mostly wait
# for it: more of them run at once than there are processors, and on a slow machine one wait may take minutes. A wait that
# ends well takes no longer by this. make lint runs vet.
export GOGC=400 GOMEMLIMIT=1GiB OPGEN_TEST_PATIENCE=5m
processors=$(getconf _NPROCESSORS_ONLN)
test_flags="-vet=off -timeout=60m -p=$((processors + 1)) -parallel=$((processors * 4))"
trap 'exit 130' INT # whatever the command that Ctrl-C has ended makes of it
