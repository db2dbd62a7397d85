# CMake's unity build (-DCMAKE_UNITY_BUILD=ON, as in most presets) compiles several sources at a time, which saves more
# than a third of a build from nothing: headers and templates are the larger part of it. The preset debug compiles every
# file alone, which shows a missing include.

# rfnn_compile_together(<target> <source>...): which of the library's sources may share a unit, folder by folder. What
# computes stays one file at a time everywhere: compilers limit inlining by what else the unit holds, so that speed would
# depend on the neighbours; and a function in one file's unnamed namespace hides one of the same name that another file
# means, without a word where their parameters are alike.
function(rfnn_compile_together target)
  # Files whose unnamed namespace has a name that a neighbour's has too.
  list(FILTER ARGN EXCLUDE REGEX
       "/(io/model_file|report/run_spectrum|reproduction/(multiscale|sine|stairstep)_figures)\\.cpp$")
  foreach(folder IN ITEMS options io report reproduction)
    set(members ${ARGN})
    list(FILTER members INCLUDE REGEX "/src/rfnn/${folder}/")
    set(count 0)
    foreach(source IN LISTS members)
      math(EXPR group "${count} / 6")
      math(EXPR count "${count} + 1")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}_${group}")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
