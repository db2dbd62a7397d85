#!/bin/sh
# usage: consume.sh SOURCE BUILD CMAKE CXX
# Installs the built tree into a temporary prefix, moves the prefix, and uses it as a stranger would: public headers
# alone, find_package (static and shared), pkg-config, and add_subdirectory on the sources.
set -eu
source=$1 build=$2 cmake=$3 cxx=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
export CMAKE_GENERATOR=Ninja CXX="$cxx"
unset DESTDIR CMAKE_PREFIX_PATH CXXFLAGS LDFLAGS || true
cd "$work"

say() { echo "== $*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

say "install, then move the prefix: nothing in it may remember where it was"
"$cmake" --install "$build" --prefix "$work/first" >install.log || { cat install.log; fail "cmake --install"; }
mv first prefix
prefix=$work/prefix
libdir=$(dirname "$(find "$prefix" -name librfnn.a)")
if grep -rlF -e "$work/first" -e "$build" -e "$source" "$prefix/include" "$libdir/cmake" "$libdir/pkgconfig"; then
  fail "the installed files above name a folder of the build"
fi
[ "$("$prefix/bin/rfnn" --version | grep -cF "$(cat "$source/VERSION")")" -ge 1 ] || fail "bin/rfnn --version"

say "manual pages and completion scripts are where systems look for them"
for file in man/man1/rfnn.1 man/man1/rfnn-fit.1 bash-completion/completions/rfnn zsh/site-functions/_rfnn \
  fish/vendor_completions.d/rfnn.fish; do
  [ -s "$prefix/share/$file" ] || fail "share/$file"
done
"$prefix/bin/rfnn" help --man fit | cmp - "$prefix/share/man/man1/rfnn-fit.1" || fail "rfnn-fit.1 is not what rfnn says"

say "every public header compiles alone, without Eigen, MPI and flags"
(cd "$prefix/include" && find rfnn -name '*.hpp' ! -path rfnn/eigen.hpp ! -path rfnn/mpi.hpp | sort) >headers
[ "$(wc -l <headers)" -ge 15 ] || fail "only $(wc -l <headers) headers were installed"
mkdir alone
while read -r header; do
  echo "#include \"$header\"" >"alone/$(echo "$header" | tr / _).cpp"
done <headers
# A header that pulled in a private dependency would also show in the list of files it reads.
find alone -name '*.cpp' -print | xargs -P 2 -I {} "$cxx" -std=c++20 -Wall -Wextra -Werror -I "$prefix/include" \
  -fsyntax-only -MD -MF {}.d {} || fail "a public header does not compile alone"
if grep -lE '/(Eigen|nlohmann|fmt|CLI|Random123)/|/(sleef|zlib|xxhash|LBFGS)\.h' alone/*.d; then
  fail "the public headers above include a private dependency"
fi

# check NAME: the built program runs and leaves a model that the installed command can read.
check() {
  (cd "$1" && LD_LIBRARY_PATH=${2:-} ./ten_lines && "$prefix/bin/rfnn" inspect multiscale.rfnn >/dev/null) ||
    fail "the program built with $1 does not run"
}

for kind in static shared; do
  say "find_package, $kind"
  [ $kind = shared ] && shared=ON || shared=OFF
  "$cmake" -S "$source/examples/ten_lines" -B $kind -DCMAKE_PREFIX_PATH="$prefix" -DBUILD_SHARED_LIBS=$shared >$kind.log &&
    "$cmake" --build $kind >>$kind.log || { cat $kind.log; fail "find_package, $kind"; }
  if ldd $kind/ten_lines | grep -q librfnn; then linked=shared; else linked=static; fi
  [ $linked = $kind ] || fail "asked for the $kind library, got the $linked one"
  check $kind
done

say "find_package with a component, and with a version that is not there"
mkdir components
cat >components/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(components LANGUAGES CXX)
find_package(rfnn 99 CONFIG QUIET)
if(rfnn_FOUND)
  message(FATAL_ERROR "version 99 was found")
endif()
find_package(rfnn CONFIG QUIET COMPONENTS nonsense)
if(rfnn_FOUND)
  message(FATAL_ERROR "the component nonsense was found")
endif()
find_package(rfnn CONFIG REQUIRED COMPONENTS shared)
get_target_property(linked rfnn::rfnn INTERFACE_LINK_LIBRARIES)
if(NOT linked STREQUAL "rfnn::shared" OR NOT TARGET rfnn::static)
  message(FATAL_ERROR "COMPONENTS shared gave ${linked}")
endif()
END
"$cmake" -S components -B components/build -DCMAKE_PREFIX_PATH="$prefix" >components.log 2>&1 ||
  { cat components.log; fail "components"; }

say "pkg-config"
export PKG_CONFIG_PATH="$libdir/pkgconfig"
mkdir pkgconfig
# shellcheck disable=SC2046  # the flags are meant to be split
"$cxx" -std=c++20 "$source/examples/ten_lines/ten_lines.cpp" -o pkgconfig/ten_lines $(pkg-config --cflags --libs rfnn)
check pkgconfig "$libdir"
[ "$(pkg-config --modversion rfnn)" = "$(cat "$source/VERSION")" ] || fail "pkg-config --modversion"

if command -v mpicxx >/dev/null && command -v mpirun >/dev/null; then
  say "mpi.hpp with the program's own MPI: a fit of two ranks, and messages that travel in parts"
  mkdir mpi
  cat >mpi/ranks.cpp <<'END'
#include <rfnn/mpi.hpp>
#include <rfnn/rfnn.hpp>

bool messages_arrive(rfnn::Communicator& ranks) {
  const std::size_t here = ranks.rank(), there = 1 - here;
  bool good = true;
  for (std::size_t length = 0; length < 20; ++length) {  // in parts of 7 bytes: full ones, and a rest or none
    const std::string own(length, static_cast<char>('a' + here)), other(length, static_cast<char>('a' + there));
    ranks.send(there, own);
    ranks.send(there, "next");
    good = good && ranks.receive(there) == other && ranks.receive(there) == "next";
    const std::vector<std::string> exchanged = ranks.exchange({own, own + own});
    good = good && exchanged == (here == 0 ? std::vector{own, other} : std::vector{other + other, own + own});
    std::string all(here == 0 ? 5000 + length : 0, 'x');
    ranks.broadcast(all);
    good = good && all == std::string(5000 + length, 'x');
  }
  return good;
}

int main(int argc, char** argv) {
  int given = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
  bool good = false;
  {
    rfnn::MpiCommunicator in_parts(MPI_COMM_WORLD, 7), ranks(MPI_COMM_WORLD);
    const rfnn::Dataset own_rows = rfnn::generate(rfnn::Target::sine, 50, 1 + ranks.rank());
    rfnn::Options options = rfnn::preset_options(rfnn::Preset::paper);
    options.blocks = 1;
    options.iterations = 5;
    rfnn::FitExtras extras;
    extras.ranks = &ranks;
    const rfnn::Model model = rfnn::fit(own_rows, options, extras);
    good = messages_arrive(in_parts) && model.blocks() == 1 && (ranks.rank() != 0 || model.train_rows == 100);
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
END
  # shellcheck disable=SC2046
  OMPI_CXX=$cxx MPICH_CXX=$cxx mpicxx -std=c++20 -Wall -Wextra -Werror -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX \
    mpi/ranks.cpp -o mpi/ranks $(pkg-config --cflags --libs rfnn) || fail "mpi.hpp and mpicxx"
  # A session folder of its own: OpenMPI's jobs of one user share one, and one that ends may take it from another.
  LD_LIBRARY_PATH=$libdir TMPDIR=$work/mpi OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe timeout 60 mpirun --oversubscribe -n 2 mpi/ranks ||
    fail "the program of two ranks"
else
  say "mpi.hpp is not compiled: mpicxx or mpirun is not here"
fi

say "the archive beside the consumer's own fmt: ours is in a namespace of its own"
mkdir own_fmt
cat >own_fmt/own_fmt.cpp <<'END'
#include <fmt/format.h>
#include <rfnn/rfnn.hpp>
int main() {
  const rfnn::Dataset data = rfnn::generate(rfnn::Target::sine, 20, 1);
  return fmt::format("{:.1f} {}", 0.25, data.inputs.rows()) == "0.2 20" ? 0 : 1;
}
END
for own in -lfmt -DFMT_HEADER_ONLY; do
  "$cxx" -std=c++20 own_fmt/own_fmt.cpp -I "$prefix/include" -o own_fmt/program "$libdir/librfnn.a" $own -lsleef -lz \
    -lpthread && own_fmt/program || fail "the archive and a program that has fmt itself ($own)"
done

say "add_subdirectory: the library's targets and nothing else, and the consumer compiles"
"$cmake" -S "$source/tests/install/subdirectory" -B subdirectory -DRFNN_SOURCE="$source" >subdirectory.log 2>&1 &&
  "$cmake" --build subdirectory --target check_compiles >>subdirectory.log 2>&1 ||
  { cat subdirectory.log; fail "add_subdirectory"; }
say "all well"
