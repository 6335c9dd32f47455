# gradsim_library, gradsim_module and gradsim_program: the contents of a folder's CMakeLists.txt, in one line each.

# gradsim_compile_together(TARGET): most of a compilation is headers, and sources compiled together share them. Their
# anonymous namespaces become one, so that names in them must differ within a folder.
function(gradsim_compile_together target)
  if(GRADSIM_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 20)
  endif()
endfunction()

# gradsim_compile_quickly(TARGET): for folders whose code is never hot, COLD below: a quarter less of g++'s time, and less than
# half of clang's under sanitizers. Debug builds of g++ do not optimise anyway.
function(gradsim_compile_quickly target)
  if(GRADSIM_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
  else()
    target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
  endif()
endfunction()

# gradsim_compile_hot(TARGET): for folders whose loops take most of what tests with sanitizers take, HOT below. clang++ inlines
# the small functions of the standard library at -O2 only.
function(gradsim_compile_hot target)
  if(GRADSIM_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O2>)
  endif()
endfunction()

# gradsim_count_lines(TARGET): what runs of it is counted; the tests are compiled as in any release.
function(gradsim_count_lines target)
  if(GRADSIM_COVERAGE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:--coverage> $<$<COMPILE_LANGUAGE:CXX>:-O1>)
    target_link_options(${target} PUBLIC --coverage)
  endif()
endfunction()

# gradsim_library(NAME [COLD|HOT] [WITHOUT source...] [PUBLIC lib...] [PRIVATE lib...])
# Every *.cpp of the folder but main.cpp, arguments_*.cpp and those named as the static library NAME. A folder without
# sources becomes a header-only library, so that the others may link it all the same.
function(gradsim_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "COLD;HOT" "" "WITHOUT;PUBLIC;PRIVATE")
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  list(FILTER sources EXCLUDE REGEX "/(main|arguments_[a-z_]*)\\.cpp$")
  foreach(source IN LISTS arg_WITHOUT)
    list(REMOVE_ITEM sources "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    gradsim_compile_together(${name})
    if(arg_COLD)
      gradsim_compile_quickly(${name})
    elseif(arg_HOT)
      gradsim_compile_hot(${name})
    endif()
    gradsim_count_lines(${name})
    target_link_libraries(${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_PUBLIC} ${arg_PRIVATE})
  endif()
endfunction()

# gradsim_module(NAME FOR library [WITHOUT source...] LINK lib...)
# Every *.cpp of the folder as build/lib/gradsim/libNAME.so, which files/module.hpp opens at run time: a program starts without
# the libraries that only NAME links. Whatever links `library` is linked after the module.
function(gradsim_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOR" "WITHOUT;LINK")
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  foreach(source IN LISTS arg_WITHOUT)
    list(REMOVE_ITEM sources "${CMAKE_CURRENT_SOURCE_DIR}/${source}")
  endforeach()
  add_library(${name} MODULE ${sources})
  gradsim_compile_together(${name})
  gradsim_count_lines(${name})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  target_link_options(${name} PRIVATE LINKER:--version-script=${GRADSIM_MODULE_SYMBOLS})
  if(NOT GRADSIM_SANITIZE)  # whose own functions are the program's
    target_link_options(${name} PRIVATE LINKER:-z,defs)
  endif()
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib/gradsim
    LINK_DEPENDS ${GRADSIM_MODULE_SYMBOLS})
  set_property(TARGET ${arg_FOR} APPEND PROPERTY INTERFACE_LINK_DEPENDS $<TARGET_FILE:${name}>)
  install(TARGETS ${name} LIBRARY DESTINATION lib/gradsim COMPONENT sim)
endfunction()

# gradsim_define(NAME definition...): compile definitions, whether NAME has sources or not.
function(gradsim_define name)
  get_target_property(kind ${name} TYPE)
  if(kind STREQUAL "INTERFACE_LIBRARY")
    target_compile_definitions(${name} INTERFACE ${ARGN})
  else()
    target_compile_definitions(${name} PUBLIC ${ARGN})
  endif()
endfunction()

# gradsim_program(NAME SOURCES file... LINK lib...)
# The program build/bin/NAME (target NAME). Only it knows where the shipped data is: in the source tree,
# or, once installed, next to its own folder. Skipped while none of the files exists.
function(gradsim_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK")
  file(GLOB sources CONFIGURE_DEPENDS ${arg_SOURCES})
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  gradsim_compile_together(${name})
  gradsim_compile_quickly(${name})
  gradsim_count_lines(${name})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  target_compile_definitions(${name} PRIVATE
    GRADSIM_VERSION="${PROJECT_VERSION}"
    GRADSIM_DATA_DIR="${PROJECT_SOURCE_DIR}/scenarios"
    GRADSIM_INSTALLED_DATA_DIR="../share/gradsim/scenarios")
  install(TARGETS ${name} RUNTIME DESTINATION bin COMPONENT ${name})
  gradsim_self_description(${name})
endfunction()

# What the program says about itself, written by itself whenever it is built: manual page and shell completions.
function(gradsim_self_description name)
  set(share ${PROJECT_BINARY_DIR}/share)
  set(pages man/man1/${name}.1 bash-completion/completions/${name} zsh/vendor-completions/_${name}
            fish/vendor_completions.d/${name}.fish)
  set(words man "completion bash" "completion zsh" "completion fish")
  set(commands "")
  foreach(page asked IN ZIP_LISTS pages words)
    cmake_path(GET page PARENT_PATH folder)
    file(MAKE_DIRECTORY ${share}/${folder})
    separate_arguments(asked)
    list(APPEND commands COMMAND ${name} ${asked} > ${share}/${page})
    install(FILES ${share}/${page} DESTINATION share/${folder})
  endforeach()
  add_custom_command(TARGET ${name} POST_BUILD ${commands} VERBATIM)
endfunction()
