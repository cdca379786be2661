# Recipes for continuous integration. CMake's are installed where find_package(Smemcalc) looks.
cmakedir = $(datadir)/cmake/Smemcalc
dist_cmake_DATA = recipes/cmake/SmemcalcConfig.cmake recipes/cmake/SmemcalcGate.cmake
nodist_cmake_DATA = recipes/cmake/SmemcalcConfigVersion.cmake
recipesdir = $(docdir)/recipes
dist_recipes_DATA = \
	recipes/github/smemcalc.yml recipes/github/smemcalc-sanitize.yml \
	recipes/gitlab/smemcalc.gitlab-ci.yml recipes/make/smemcalc.mk \
	recipes/pre-commit/smemcalc-gate recipes/smemcalc.toml
EXTRA_DIST += .pre-commit-hooks.yaml
