# The reference of the C interface, everbloom.h, as HTML in build/reference_c. tools/make_reference runs it from the project's folder.
@INCLUDE               = docs/Doxyfile
PROJECT_BRIEF          = "The C interface, everbloom.h"
HTML_OUTPUT            = reference_c
INPUT                  = capi/include/everbloom.h
USE_MDFILE_AS_MAINPAGE =
FILE_PATTERNS          = *.h
STRIP_FROM_PATH        = capi/include
STRIP_FROM_INC_PATH    = capi/include
OPTIMIZE_OUTPUT_FOR_C  = YES
EXCLUDE_SYMBOLS        = EB_API
PREDEFINED             = EB_API=
ENABLE_PREPROCESSING   = YES
# The names of some members say all.
WARN_IF_UNDOCUMENTED   = NO
