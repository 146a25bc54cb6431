# EVERBLOOM_PORTABLE: the files that have two ways, one of Linux and one that POSIX systems share, take the second. macOS takes it by itself;
# here it is taken on Linux, so that its tests run somewhere.
set(twins
  src/heap_words.cpp            # mremap, huge pages       | malloc
  src/file_access.cpp           # access control lists     | mode bits
  src/slow/disk_file.cpp        # fdatasync                | fsync
  apps/everbloom/frame/cancellation.cpp            # eventfd             | a pipe
  apps/everbloom/frame/program_path.cpp            # /proc/self/exe      | the name of the call and PATH
  apps/everbloom/keys/plain_stream.cpp             # posix_fadvise       | nothing
  apps/everbloom/commands/watch.cpp apps/everbloom/commands/watch/change_watch.cpp
  apps/everbloom/commands/watch/polled_watch.cpp   # inotify             | a look once a second
  lab/reproduce/figure_drawing.cpp)                # pipe2               | pipe, fcntl
list(TRANSFORM twins PREPEND ${PROJECT_SOURCE_DIR}/)
set_property(SOURCE ${twins} APPEND PROPERTY COMPILE_DEFINITIONS EVERBLOOM_PORTABLE)
