# For scripts to source: starts a local control plane of their own, which is gone when they end. Tests find it in
# OPGEN_TEST_KUBECONFIG; KUBECONFIG is unset, so that none touches a cluster by accident.
opgen=$PWD/bin/opgen
cluster=test-$$
stop_cluster() { "$opgen" cluster down --name "$cluster"; }
trap stop_cluster EXIT
# The one that opgen builds, whatever else is there, of the version in KUBERNETES if that is set.
"$opgen" cluster up --name "$cluster" --assets= ${KUBERNETES:+--kubernetes "$KUBERNETES"}
env=$("$opgen" cluster env --name "$cluster") || exit # eval alone would go on, with the KUBECONFIG of the user
eval "$env"
export OPGEN_TEST_KUBECONFIG=$KUBECONFIG
export OPGEN_TEST_KEEP_NAMESPACES=1 # they go with the cluster
unset KUBECONFIG
