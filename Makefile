# Every target first installs what it needs (Debian packages, with sudo where needed). `make help` lists them.

PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

build_packages := g++ make cmake ninja-build libeigen3-dev nlohmann-json3-dev libfmt-dev libcli11-dev libsleef-dev \
                  zlib1g-dev libxxhash-dev librandom123-dev liblbfgspp-dev libjs-chart.js
test_packages  := clang libopenmpi-dev openmpi-bin libgtest-dev libgmock-dev librapidcheck-dev liblapacke-dev libopenblas-dev pkg-config binutils valgrind \
                  chromium chromium-driver python3-selenium python3-pytest fonts-dejavu-core zsh fish groff-base
fuzz_packages  := libclang-rt-14-dev
bench_packages := liblapacke-dev libopenblas-dev python3 python3-numpy python3-venv
format_packages := clang-format
python_packages := python3 python3-dev python3-venv

.DEFAULT_GOAL := build
.PHONY: help deps build command python-deps python wheel test test-full demo reproduction install bench accuracy format clean python-env configure-test \
        test-environments test-programs run-tests

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

deps: ## Install everything any target needs
	@scripts/deps.sh $(build_packages) $(python_packages) $(test_packages) $(fuzz_packages) $(bench_packages) \
	  $(format_packages)

build: ## Build the command (build/rfnn) and both libraries
	@scripts/deps.sh $(build_packages)
	@test -e build/build.ninja || cmake --preset release -DRFNN_BUILD_TESTS=OFF -DRFNN_BUILD_EXAMPLES=OFF
	cmake --build build -j $(JOBS) --target rfnn rfnn_static rfnn_shared

python-deps: ## Install what `pip install .` needs: a compiler, libraries, Python's headers and virtual environments
	@scripts/deps.sh $(build_packages) $(python_packages)

python-env: python-deps
	@scripts/python-env.sh build/venv

python: python-env ## Build the Python package in place: PYTHONPATH=build/python build/venv/bin/python
	cmake --preset release -DRFNN_BUILD_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/build/venv/bin/python \
	  -DRFNN_BUILD_TESTS=OFF -DRFNN_BUILD_EXAMPLES=OFF
	cmake --build build -j $(JOBS) --target rfnn_python rfnn_python_stub

wheel: python-deps ## Build wheels that carry what they need (build/wheel) and try them in empty environments
	scripts/wheel.sh build/wheel

configure-test: python-deps
	@scripts/deps.sh $(test_packages) $(format_packages)
	@scripts/python-env.sh build/venv build
	cmake --preset release -DRFNN_BUILD_TESTS=ON -DRFNN_BUILD_EXAMPLES=ON \
	  -DRFNN_TEST_COMPILER=$$(command -v clang++) -DRFNN_BUILD_PYTHON=ON \
	  -DPython_EXECUTABLE=$(CURDIR)/build/venv/bin/python -DRFNN_OLDEST_PYTHON=$(CURDIR)/build/venv-oldest/bin/python

# What the tests need, in pieces that go on side by side: fetching Python packages is mostly waiting.
test-environments:
	@scripts/python-env.sh build/venv
	@scripts/python-env.sh build/venv-oldest oldest

test-programs:
	cmake --build build -j $(JOBS)

run-tests: configure-test
	@$(MAKE) --no-print-directory -j 2 test-environments test-programs
	ctest --test-dir build -j $$(( $(JOBS) + 1 )) --output-on-failure   # some mostly wait: for a browser, workers, a clock

test: run-tests ## Build and run every test

test-full: export RFNN_LONG_TESTS := 1
test-full: export RFNN_FUZZ_SECONDS := 60
test-full: run-tests ## Long statistics, every test under the sanitizers, and long fuzzing
	scripts/sanitized-tests.sh asan $(JOBS)
	scripts/sanitized-tests.sh tsan $(JOBS)
	@scripts/deps.sh $(fuzz_packages)
	cmake --preset fuzz
	cmake --build build-fuzz -j $(JOBS) --target fuzzers
	ctest --test-dir build-fuzz -j $(JOBS) --output-on-failure

# Of the build, what one command needs: no shared library, no tests, no Python.
command:
	@scripts/deps.sh $(build_packages)
	@test -e build/build.ninja || cmake --preset release -DRFNN_BUILD_TESTS=OFF -DRFNN_BUILD_EXAMPLES=OFF
	cmake --build build -j $(JOBS) --target rfnn

demo: command ## Train on the multiscale function and show what was learnt (about a minute)
	scripts/demo.sh build/rfnn demo

reproduction: command ## Run the paper's experiments (about a quarter of an hour) and renew docs/reproduction
	@scripts/deps.sh chromium chromium-driver python3-selenium poppler-utils fonts-dejavu-core
	build/rfnn reproduce all --out reproduction
	/usr/bin/python3 scripts/reproduction-docs.py reproduction docs/reproduction

install: build ## Install to PREFIX (default /usr/local), below DESTDIR where given
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

bench: ## Run the benchmarks (about ten minutes): ratios, tables and charts in build/bench
	@scripts/deps.sh $(build_packages) $(bench_packages)
	cmake --preset release -DRFNN_BUILD_BENCHMARKS=ON -DRFNN_BUILD_TESTS=OFF -DRFNN_BUILD_EXAMPLES=OFF
	cmake --build build -j $(JOBS)
	python3 benchmarks/run.py

accuracy: ## Accuracy beside other learners (one to two hours; QUICK=1 minutes; ACCURACY=report|choose|all; COMPARE=BINARY)
	@scripts/deps.sh $(build_packages) $(bench_packages)
	cmake --preset release -DRFNN_BUILD_BENCHMARKS=ON -DRFNN_BUILD_TESTS=OFF -DRFNN_BUILD_EXAMPLES=OFF
	cmake --build build -j $(JOBS) --target rfnn bench_page
	@benchmarks/accuracy/venv.sh build/accuracy-venv
	build/accuracy-venv/bin/python -B benchmarks/accuracy/run.py $(if $(QUICK),--quick) \
	  $(if $(ACCURACY),--role $(ACCURACY)) $(if $(COMPARE),--compare $(COMPARE)) $(ACCURACY_FLAGS)

format: ## Format the sources in place
	@scripts/deps.sh $(format_packages)
	scripts/format.sh write

clean: ## Remove everything that was built
	rm -rf build build-debug build-asan build-tsan build-fuzz build-cp* demo reproduction
