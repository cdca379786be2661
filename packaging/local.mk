# What makes packages of a release. .ci/packages.sh builds and tests them.
EXTRA_DIST += packaging/conda packaging/debian packaging/rpm
