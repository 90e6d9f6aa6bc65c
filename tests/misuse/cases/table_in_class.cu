/* expect c++ cuda: weights_table_must_not_stand_in_a_class_ */
/* says: `storage class specified for 'weights_table_must_not_stand_in_a_class_'`, `invalid storage class for a class member` and this name */
/* because: a table, an update or a definition stands in a class or in a class template */
/* do: the line above the class; for several types a definition for each, by a macro of your own, and a function template that calls them */
#include <cmk/table.h>

struct filters {
    CMK_TABLE_VALUES(LITERAL, float, weights, [3], 1, 2, 1);
};
