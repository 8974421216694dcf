# Sanitizers, for the preset `asan`. They apply to all host code, so that libraries and executables agree.
if(COURSE_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${COURSE_SANITIZE}> $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>)
  add_link_options(-fsanitize=${COURSE_SANITIZE})
endif()
