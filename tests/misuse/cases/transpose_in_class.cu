/* expect c++ cuda: turn_definition_must_not_stand_in_a_class_ */
#include <cmk/kernel/transpose.h>

template <class element> struct matrices {
    CMK_DEFINE_TRANSPOSE(turn, element);
};
