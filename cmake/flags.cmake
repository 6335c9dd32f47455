# Compiler flags of every target: language level, warnings, reproducible floating point, sanitizers, ccache.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
include_directories(${PROJECT_SOURCE_DIR})

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

find_program(GRADSIM_CCACHE ccache)
mark_as_advanced(GRADSIM_CCACHE)
if(GRADSIM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Sloppiness: ccache's own condition for caching what is compiled with a precompiled header. Base folder: another clone of
  # the same sources finds what this one compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${GRADSIM_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${GRADSIM_CCACHE})
endif()

# Same bytes from g++ and clang: neither may fuse a multiplication with an addition on its own account; nvcc may in targets
# with the property GRADSIM_CONTRACTED, whose time is measured.
add_compile_options(
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<BOOL:$<TARGET_PROPERTY:GRADSIM_CONTRACTED>>>>:--fmad=false>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off>)

# Where files are compiled together, a local name may hide one of another file's anonymous namespace; g++ can leave
# that out of its warning, clang cannot. The tidy preset compiles each by itself and finds includes that a file lacks.
set(shadow -Wshadow)
if(GRADSIM_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(shadow -Wshadow=local)
elseif(GRADSIM_UNITY)
  set(shadow "")
endif()
add_compile_options(
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion;${shadow}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow>")
if(GRADSIM_WERROR)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ also reports fields that a designated initialiser leaves out on purpose; clang reports those of positional ones alone.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-missing-field-initializers>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 warns about `"text" + string` in its own library (GCC bug 105651).
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()

if(GRADSIM_SANITIZE)
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  add_compile_definitions($<$<COMPILE_LANGUAGE:CXX>:_GLIBCXX_ASSERTIONS>)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The sanitizers' own branches make g++ see uninitialised values that are none.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
  else()
    # A description of a type that a program and a module share (below) is not two definitions of one thing.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize-address-use-odr-indicator>)
  endif()
endif()

# gradsim_name_sanitizer(): in folders whose code asks for g++'s macro of the address sanitizer, clang, which has none, defines
# it, too.
macro(gradsim_name_sanitizer)
  if(GRADSIM_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_definitions(__SANITIZE_ADDRESS__=1)
  endif()
endmacro()

if(GRADSIM_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "GRADSIM_FUZZ needs clang: -DCMAKE_CXX_COMPILER=clang++")
  endif()
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
endif()

# What an overflow or a planted file could use is closed: canaries on stacks, checked copies, read-only tables of
# functions, addresses that differ in each run, no folder that libraries are looked for in but the system's.
# tests/hardening reads the programs for it. Branch targets are marked, which a processor checks only where the system's
# start files are marked, too; those of Debian 12 are not.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_SKIP_RPATH ON)
add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong;-fstack-clash-protection>")
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fcf-protection=full>)
endif()
if(NOT GRADSIM_SANITIZE)  # sanitizers check copies themselves; without optimisation the macro only warns
  add_compile_options("$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
endif()
include(CheckPIESupported)
check_pie_supported()
add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)

# A program asks only for the shared libraries it uses.
add_link_options(-Wl,--as-needed)

# A module (files/module.hpp) shows its entry and nothing else. Sanitizers tell types apart by the address of their
# description: there, programs and modules share descriptions, those of the program.
set(GRADSIM_MODULE_SYMBOLS ${PROJECT_BINARY_DIR}/module.map)
if(GRADSIM_SANITIZE)
  add_link_options(-rdynamic)
  file(CONFIGURE OUTPUT ${GRADSIM_MODULE_SYMBOLS} CONTENT "{ global: gradsim_module; _ZTI*; _ZTS*; local: *; };\n")
else()
  file(CONFIGURE OUTPUT ${GRADSIM_MODULE_SYMBOLS} CONTENT "{ global: gradsim_module; local: *; };\n")
endif()

# Programs that run where g++ is of another version, or absent (`./dev pack --built`).
if(GRADSIM_PORTABLE)
  add_link_options(-static-libstdc++ -static-libgcc)
endif()
