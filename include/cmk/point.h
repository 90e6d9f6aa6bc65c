/* point.h: the update of one point of a grid, written once. It reads values of fields around the point, and sets new
 * values at the point. kernel/stencil2d.h and kernel/stencil3d.h define complete kernels from it.
 *
 *   #define LIST(USES) USES(KIND, ...) USES(KIND, ...) ...      what the update uses, one line each
 *       USES(IN,       T, field)  or  USES(IN, T, field, SHAPE, EDGE)     read
 *       USES(OUT,      T, field)                                          written at the point
 *       USES(SAME,     T, field)  or  USES(SAME, T, field, SHAPE, EDGE)   read, and written in place
 *       USES(NEXT,     T, field, SHAPE, EDGE)    a level in time is read; the next is written to a second buffer
 *       USES(LEAPFROG, T, field, SHAPE, EDGE)    a level in time is read, and the level before at the point; the
 *                                                next level is written over the level before
 *       USES(INS, T, field, N), USES(INS, T, field, N, SHAPE, EDGE), OUTS, SAMES, NEXTS, LEAPFROGS
 *                                                N of them: field[0] to field[N - 1]
 *       USES(SUM,      T, result), MAX, MIN      a reduction: the sum, the most or the least of what the update says of
 *                                                all points; T is float or double
 *       USES(VALUE,    T, value)                 a scalar, a pointer or a small struct: an argument of each call
 *       USES(VALUE_OF, T, value)                 a scalar or a small struct in device memory, which each launch reads:
 *                                                an argument of each call is a pointer to it
 *       USES(TABLE,    table)                    a table of table.h, from any source
 *   T       an arithmetic type, half, bfloat16 or a small struct
 *   SHAPE   which neighbours are read; without one, only the point itself
 *       CMK_POINT_STAR(RADIUS)                   along each axis; RADIUS 0 to 8
 *       CMK_POINT_BOX(RADIUS)                    all
 *       CMK_POINT_REACH(PLANES, ROWS, COLUMNS)   all, a radius for each axis; PLANES has no meaning in 2D
 *   EDGE    what is read outside of the grid: an edge of edge.h, CMK_EDGE_SIDES, CMK_EDGE_AXES, CMK_EDGE_AXES_3D
 *       CMK_EDGE_MIRROR_ODD, CMK_EDGE_REFLECT_ODD   or one of these, for float and double: 2 v minus the
 *                                                sample of CMK_EDGE_MIRROR or REFLECT; the value v is
 *                                                field_outside of the grid, which CMK_EDGE_ZERO reads too
 *
 *   CMK_POINT_2D(name, LIST) { ... }               begins the update; the text in braces is an ordinary C function
 *   CMK_POINT_3D(name, LIST) { ... }
 *   CMK_POINT_2D_STAGES(name, LIST, STAGES) { ... }      a step of 1 to 4 STAGES, each over the whole grid;
 *   CMK_POINT_3D_STAGES(name, LIST, STAGES) { ... }         LIST then has no LEAPFROG
 *
 * In the braces values and tables have their own names, and these words are used:
 *   CMK_POINT_AT(field, dy, dx)                    the field dy rows below and dx columns right of the point
 *   CMK_POINT_AT(field, dz, dy, dx)                in 3D, and dz planes behind it
 *   CMK_POINT_HERE(field)                          at the point
 *   CMK_POINT_BEFORE(field)                        LEAPFROG: the level before, at the point
 *   CMK_POINT_SET(field, value);                   what is written at the point; a field not set keeps its value
 *   CMK_POINT_ADD(result, value);                  SUM: what the point adds
 *   CMK_POINT_MOST(result, value);                 MAX: what the point takes part with
 *   CMK_POINT_LEAST(result, value);                MIN: the same
 *   CMK_POINT_PLANE, CMK_POINT_ROW, CMK_POINT_COLUMN
 *                                                  the place of the point, an int from 0 on. If the grid is a part of a
 *                                                  larger one, as with ranks, it is the place in the larger one, from 0
 *                                                  on also along an axis that wraps
 *   CMK_POINT_PLANES, CMK_POINT_ROWS, CMK_POINT_COLUMNS
 *                                                  the size of the grid, or of that larger one
 *   CMK_POINT_STEP, CMK_POINT_STAGE                the number of the time step (a cmk_i64), of the stage (a constant)
 *   CMK_POINT_COLOUR                               0 or 1, as on a chessboard: the parity of row + column, in 3D with
 *                                                  the plane. Two stages that set the points of colour CMK_POINT_STAGE
 *                                                  are a sweep of red-black Gauss-Seidel
 *   CMK_POINT_INSIDE                               0 wherever a neighbour may be outside, 1 elsewhere: boundary code
 *                                                  that tests it costs the inside nothing, or one test a plane
 *   CMK_POINT_MINE                                 1 in exactly one evaluation of each point, step and stage. A GPU may
 *                                                  evaluate a point again, for the points around it, and drop the
 *                                                  result. So an update tests it before it does anything besides
 *                                                  CMK_POINT_SET
 *
 * Offsets are integer constants, or counters of loops that are unrolled (CMK_UNROLL). They are evaluated more than
 * once. All reads of a stage see the grid as it was before that stage. So a stage that sets a SAME field may read it at
 * the point only. The CPU backend stops with file and line where such a field is read beside a point that sets it, and
 * at a read outside of SHAPE. For a GPU a read outside of SHAPE stops the build, at a function that nobody defines and
 * whose name says so (not with -G).
 *
 *   #define HEAT(USES) USES(NEXT, float, u, CMK_POINT_STAR(1), CMK_EDGE_CLAMP) USES(VALUE, float, k)
 *   #define U(dy, dx) CMK_POINT_AT(u, dy, dx)
 *   CMK_POINT_2D(heat, HEAT)
 *   {
 *       CMK_POINT_SET(u, U(0, 0) + k * (U(-1, 0) + U(1, 0) + U(0, -1) + U(0, 1) - 4.0f * U(0, 0)));
 *   } */
#ifndef CMK_POINT_H
#define CMK_POINT_H

#include "base.h"
#include "edge.h"

/* A SHAPE holds a reach of planes, rows and columns, 4 bits each, and whether it is along the axes only. It is -1 where
 * a reach is not from 0 to 8. */
#define CMK_POINT_STAR(RADIUS) (CMK_POINT_BOX(RADIUS) < 0 ? -1 : CMK_POINT_BOX(RADIUS) + 0x1000)
#define CMK_POINT_BOX(RADIUS) CMK_POINT_REACH(RADIUS, RADIUS, RADIUS)
#define CMK_POINT_REACH(PLANES, ROWS, COLUMNS)                                                                         \
    (CMK_POINT_RADIUS_(PLANES) && CMK_POINT_RADIUS_(ROWS) && CMK_POINT_RADIUS_(COLUMNS)                                \
         ? 0x100 * (PLANES) + 0x10 * (ROWS) + (COLUMNS)                                                                \
         : -1)
#define CMK_POINT_RADIUS_(RADIUS) ((RADIUS) >= 0 && (RADIUS) <= 8)

/* The points of a thread are its tile: vectors of 16 bytes, one in each of cmk_point_rows_ rows in 2D, or of
 * cmk_point_planes_ planes in 3D. */
enum { cmk_point_rows_ = 4, cmk_point_planes_ = 8, cmk_point_most_ = 8 * 16 };
/* the most lanes of a skewed tile: there is code for each skew below the lanes */
enum { cmk_point_skew_lanes_ = 4 };

/* the sizes of the grid that an update sees, and the place in it of the first element of this grid */
typedef struct {
    int planes, rows, columns;
    int plane, row, column;
} cmk_point_global_;

/* How the fields come to a thread: each by itself; fields with neighbours by a ring in shared memory; or from level to
 * level of a pass of several steps. */
enum { cmk_point_in_tile_, cmk_point_in_ring_, cmk_point_in_pass_ };

/* the tile of a thread, and the tiles of its block */
typedef struct {
    int planes, rows, lanes; /* points of a thread along each axis */
    int wide, teams, least;  /* threads of a block side by side; rows of such threads; the fewest rows of any launch */
    int aligned, cut;        /* whether rows begin at a vector; whether their end cuts a vector */
    int skew, lean;          /* row y begins y * skew % lanes columns further left than row 0; the most of these */
} cmk_point_tile_;

/* A level of a pass. near_layers says that it may be near an edge of its layers. With whole, its vectors are aligned,
 * and lie in the part or beside it as a whole. With at_left, at_right, at_top and at_bottom, the thread has the first
 * column, the last column, the first row, the last row. With between, a further stage of the step follows in the pass,
 * and with early a further step, so that nothing is stored but what OUT fields were set to. The bits of held are for
 * points that keep their values. */
typedef struct {
    int near_layers, between, early, whole, at_left, at_right, at_top, at_bottom;
    unsigned long long held;
} cmk_point_of_level_;

/* A point of an update. What does not change from point to point is a constant once it is inlined. */
typedef struct {
    int dims, stage, way;
    int sure, inside;          /* all points of the thread are of the part; none reaches an edge */
    int near_edge;             /* its windows are loaded together, with their edges */
    int z, y, x;               /* the place of the point in the tile */
    int plane, row, column;    /* its place in the grid; for an update, in the larger grid that it sees */
    int planes, rows, columns; /* the size of that grid */
    cmk_i64 time;
    unsigned long long mine; /* a bit for each point: it is of the part; not used in a tile */
    cmk_i64 at;              /* offset of the point from the first element: far from edges, fields of equal pitches */
    int around;              /* bits 1, 2, 4: a field wraps along planes, rows, columns; ghosts are at the other end */
    cmk_point_tile_ tile;
    cmk_point_of_level_ level;
} cmk_point_place_;

/* CMK_POINT_2D(heat, HEAT) generates
 *
 *   enum { heat_has_an_update_ = 1, heat_of_dims_ = 2, heat_of_stages_ = 1 };
 *   typedef struct { char is_2d, u[1 + SHAPE]; float u_type_; } heat_shapes_;  constants, as sizes: there is no object
 *   typedef struct { float u[6 * 12]; } heat_windows_;                     what is around a thread's points
 *   typedef struct { char none_; } heat_befores_;                          the level before of LEAPFROG fields
 *   typedef struct { float u[128]; } heat_values_;                         what is set at the points
 *   typedef struct { char u[128]; } heat_sets_;                            whether it is set
 *   static void heat_point_(const heat_windows_ *cmk_at_, ..., const float k)
 *
 * An engine fills windows, calls heat_point_ for each point, and stores what was set. All of these become registers. */
#define CMK_POINT_2D(name, LIST) CMK_POINT_BEGIN_(name, LIST, 2, 1)
#define CMK_POINT_3D(name, LIST) CMK_POINT_BEGIN_(name, LIST, 3, 1)
#define CMK_POINT_2D_STAGES(name, LIST, STAGES) CMK_POINT_BEGIN_(name, LIST, 2, STAGES)
#define CMK_POINT_3D_STAGES(name, LIST, STAGES) CMK_POINT_BEGIN_(name, LIST, 3, STAGES)
#define CMK_POINT_BEGIN_(name, LIST, DIMS, STAGES)                                                                     \
    CMK_POINT_FIRST_(name, LIST, DIMS, STAGES)                                                                         \
    CMK_STRUCT_(name##_shapes_, char is_##DIMS##d; LIST(CMK_POINT_SHAPE_))                                             \
    CMK_STRUCT_(name##_windows_, char none_; LIST(CMK_POINT_WINDOW_##DIMS##D_))                                        \
    CMK_STRUCT_(name##_befores_, char none_; LIST(CMK_POINT_BEFORE_))                                                  \
    CMK_NEEDS_("CMK_POINT", (STAGES) == 1 || sizeof(name##_befores_) == 1, "with LEAPFROG STAGES must be 1");          \
    CMK_STRUCT_(name##_values_, char none_; LIST(CMK_POINT_VALUE_))                                                    \
    CMK_STRUCT_(name##_sets_, char none_; LIST(CMK_POINT_SET_))                                                        \
    CMK_UNUSED_ CMK_FUNCTION void name##_edges_(CMK_UNUSED_ name##_shapes_ *cmk_shapes_){                              \
        LIST(CMK_POINT_EDGE_)} CMK_UNUSED_ CMK_INLINED_ void name##_point_(CMK_POINT_PARTS_(name)                      \
                                                                               LIST(CMK_POINT_PARAMETER_))
/* A compiler reports has_an_update_ first: where a definition has no update, where two updates have one name, and where
 * a table of LIST is not a table. */
#define CMK_POINT_FIRST_(name, LIST, DIMS, STAGES)                                                                     \
    CMK_FILE_SCOPE_(name##_update_) enum { name##_has_an_update_ = 1 LIST(CMK_POINT_KNOWN_) LIST(CMK_POINT_TABLES_) }; \
    CMK_LINE_ enum { name##_of_dims_ = (DIMS), name##_of_stages_ = (STAGES) };                                         \
    LIST(CMK_POINT_TABLE_TYPES_)                                                                                       \
    LIST(CMK_POINT_ASSERT_)                                                                                            \
    CMK_NEEDS_("CMK_POINT", (STAGES) >= 1 && (STAGES) <= 4, "STAGES must be from 1 to 4");
#define CMK_POINT_PARTS_(name)                                                                                         \
    CMK_UNUSED_ const name##_windows_ *cmk_at_, CMK_UNUSED_ const name##_shapes_ *cmk_shapes_,                         \
        CMK_UNUSED_ const name##_befores_ *cmk_befores_, const cmk_point_place_ *cmk_place_,                           \
        CMK_UNUSED_ name##_values_ *cmk_values_, CMK_UNUSED_ name##_sets_ *cmk_sets_

/* the compiler reports a KIND that is not here as an undeclared name */
enum {
    cmk_point_KIND_IN,
    cmk_point_KIND_OUT,
    cmk_point_KIND_SAME,
    cmk_point_KIND_NEXT,
    cmk_point_KIND_LEAPFROG,
    cmk_point_KIND_INS,
    cmk_point_KIND_OUTS,
    cmk_point_KIND_SAMES,
    cmk_point_KIND_NEXTS,
    cmk_point_KIND_LEAPFROGS,
    cmk_point_KIND_VALUE,
    cmk_point_KIND_VALUE_OF,
    cmk_point_KIND_TABLE,
    cmk_point_KIND_SUM, /* these and what follows are reductions */
    cmk_point_KIND_MAX,
    cmk_point_KIND_MIN
};
#define CMK_POINT_KNOWN_(KIND, ...) +0 * cmk_point_KIND_##KIND
#define CMK_POINT_TABLES_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, TABLES, __VA_ARGS__)
#define CMK_POINT_TABLES_OF_VALUE_(...)
#define CMK_POINT_TABLES_OF_TABLE_(table) +0 * table##_is_a_table_
#define CMK_POINT_TABLE_TYPES_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, TABLE_TYPES, __VA_ARGS__)
#define CMK_POINT_TABLE_TYPES_OF_VALUE_(...)
#define CMK_POINT_TABLE_TYPES_OF_TABLE_(table) CMK_AGAIN_(table##_table) CMK_AGAIN_(table##_passed_)

/* A line of LIST becomes FIELD(KIND, T, field, AT, N, SHAPE, EDGE), VALUE(T, value, BY) or TABLE(table). AT is empty,
 * or the [N] of an array of fields. A field without SHAPE and EDGE has 0 for both. BY is what calls have for a value:
 * ITSELF or a POINTER to it. */
#define CMK_POINT_AS_IN_(F, V, TABLE, T, field, SHAPE, EDGE, ...) F(IN, T, field, , 1, SHAPE, EDGE)
#define CMK_POINT_AS_OUT_(F, V, TABLE, T, field, SHAPE, EDGE, ...) F(OUT, T, field, , 1, SHAPE, EDGE)
#define CMK_POINT_AS_SAME_(F, V, TABLE, T, field, SHAPE, EDGE, ...) F(SAME, T, field, , 1, SHAPE, EDGE)
#define CMK_POINT_AS_NEXT_(F, V, TABLE, T, field, SHAPE, EDGE, ...) F(NEXT, T, field, , 1, SHAPE, EDGE)
#define CMK_POINT_AS_LEAPFROG_(F, V, TABLE, T, field, SHAPE, EDGE, ...) F(LEAPFROG, T, field, , 1, SHAPE, EDGE)
#define CMK_POINT_AS_INS_(F, V, TABLE, T, field, N, SHAPE, EDGE, ...) F(IN, T, field, [N], N, SHAPE, EDGE)
#define CMK_POINT_AS_OUTS_(F, V, TABLE, T, field, N, SHAPE, EDGE, ...) F(OUT, T, field, [N], N, SHAPE, EDGE)
#define CMK_POINT_AS_SAMES_(F, V, TABLE, T, field, N, SHAPE, EDGE, ...) F(SAME, T, field, [N], N, SHAPE, EDGE)
#define CMK_POINT_AS_NEXTS_(F, V, TABLE, T, field, N, SHAPE, EDGE, ...) F(NEXT, T, field, [N], N, SHAPE, EDGE)
#define CMK_POINT_AS_LEAPFROGS_(F, V, TABLE, T, field, N, SHAPE, EDGE, ...) F(LEAPFROG, T, field, [N], N, SHAPE, EDGE)
#define CMK_POINT_AS_SUM_(F, V, TABLE, T, field, ...) F(SUM, T, field, , 1, 0, 0)
#define CMK_POINT_AS_MAX_(F, V, TABLE, T, field, ...) F(MAX, T, field, , 1, 0, 0)
#define CMK_POINT_AS_MIN_(F, V, TABLE, T, field, ...) F(MIN, T, field, , 1, 0, 0)
#define CMK_POINT_AS_VALUE_(F, V, TABLE, T, value, ...) V(T, value, ITSELF)
#define CMK_POINT_AS_VALUE_OF_(F, V, TABLE, T, value, ...) V(T, value, POINTER)
#define CMK_POINT_AS_TABLE_(F, V, TABLE, table, ...) TABLE(table)
#define CMK_POINT_NONE_(...)
/* the macro above that belongs to a KIND, behind a comma */
#define CMK_POINT_LINE_IN_ , CMK_POINT_AS_IN_
#define CMK_POINT_LINE_OUT_ , CMK_POINT_AS_OUT_
#define CMK_POINT_LINE_SAME_ , CMK_POINT_AS_SAME_
#define CMK_POINT_LINE_NEXT_ , CMK_POINT_AS_NEXT_
#define CMK_POINT_LINE_LEAPFROG_ , CMK_POINT_AS_LEAPFROG_
#define CMK_POINT_LINE_INS_ , CMK_POINT_AS_INS_
#define CMK_POINT_LINE_OUTS_ , CMK_POINT_AS_OUTS_
#define CMK_POINT_LINE_SAMES_ , CMK_POINT_AS_SAMES_
#define CMK_POINT_LINE_NEXTS_ , CMK_POINT_AS_NEXTS_
#define CMK_POINT_LINE_LEAPFROGS_ , CMK_POINT_AS_LEAPFROGS_
#define CMK_POINT_LINE_SUM_ , CMK_POINT_AS_SUM_
#define CMK_POINT_LINE_MAX_ , CMK_POINT_AS_MAX_
#define CMK_POINT_LINE_MIN_ , CMK_POINT_AS_MIN_
#define CMK_POINT_LINE_VALUE_ , CMK_POINT_AS_VALUE_
#define CMK_POINT_LINE_VALUE_OF_ , CMK_POINT_AS_VALUE_OF_
#define CMK_POINT_LINE_TABLE_ , CMK_POINT_AS_TABLE_
#define CMK_POINT_KIND_(...) CMK_POINT_SECOND_(__VA_ARGS__)
#define CMK_POINT_SECOND_(first, second, ...) second
/* A word that is no KIND, and no macro when it is pasted, is treated as NEXT, so that a compiler reports little of what
 * follows. Where only one word stands beside it, it is treated as nothing; the word behind that one is then a 0 that is
 * added below. */
#define CMK_POINT_AS_OTHER_(F, V, TABLE, T, field, ...)                                                                \
    CMK_POINT_OTHER_(CMK_POINT_OTHER_##field##_, CMK_POINT_AS_NEXT_, )(F, V, TABLE, T, field, __VA_ARGS__)
#define CMK_POINT_OTHER_0_ , CMK_POINT_NONE_
#define CMK_POINT_OTHER_(...) CMK_POINT_OTHER_OF_(__VA_ARGS__)
#define CMK_POINT_OTHER_OF_(first, second, ...) second
/* DO for a field, and for a value or a table. A KIND is pasted at once, because other headers define IN and OUT. */
#define CMK_POINT_FIELDS_(LINE, DO, ...)                                                                               \
    CMK_POINT_KIND_(LINE, CMK_POINT_AS_OTHER_, )                                                                       \
    (CMK_POINT_##DO##_OF_, CMK_POINT_NONE_, CMK_POINT_NONE_, __VA_ARGS__, 0, 0, )
#define CMK_POINT_WORDS_(LINE, DO, ...)                                                                                \
    CMK_POINT_KIND_(LINE, CMK_POINT_AS_OTHER_, )                                                                       \
    (CMK_POINT_NONE_, CMK_POINT_##DO##_OF_VALUE_, CMK_POINT_##DO##_OF_TABLE_, __VA_ARGS__, 0, 0, )

/* arguments that only fields of some KINDS have: those that are read, that are written, that are LEAPFROG */
#define CMK_POINT_READS_IN_(...) __VA_ARGS__
#define CMK_POINT_READS_OUT_(...)
#define CMK_POINT_READS_SAME_(...) __VA_ARGS__
#define CMK_POINT_READS_NEXT_(...) __VA_ARGS__
#define CMK_POINT_READS_LEAPFROG_(...) __VA_ARGS__
#define CMK_POINT_WRITES_IN_(...)
#define CMK_POINT_WRITES_OUT_(...) __VA_ARGS__
#define CMK_POINT_WRITES_SAME_(...) __VA_ARGS__
#define CMK_POINT_WRITES_NEXT_(...) __VA_ARGS__
#define CMK_POINT_WRITES_LEAPFROG_(...) __VA_ARGS__
#define CMK_POINT_LEAPS_IN_(...)
#define CMK_POINT_LEAPS_OUT_(...)
#define CMK_POINT_LEAPS_SAME_(...)
#define CMK_POINT_LEAPS_NEXT_(...)
#define CMK_POINT_LEAPS_LEAPFROG_(...) __VA_ARGS__
/* a reduction is written, to values that no memory gets */
#define CMK_POINT_READS_SUM_(...)
#define CMK_POINT_WRITES_SUM_(...) __VA_ARGS__
#define CMK_POINT_LEAPS_SUM_(...)
#define CMK_POINT_READS_MAX_(...)
#define CMK_POINT_WRITES_MAX_(...) __VA_ARGS__
#define CMK_POINT_LEAPS_MAX_(...)
#define CMK_POINT_READS_MIN_(...)
#define CMK_POINT_WRITES_MIN_(...) __VA_ARGS__
#define CMK_POINT_LEAPS_MIN_(...)
#define CMK_POINT_REDUCES_IN_(...)
#define CMK_POINT_REDUCES_OUT_(...)
#define CMK_POINT_REDUCES_SAME_(...)
#define CMK_POINT_REDUCES_NEXT_(...)
#define CMK_POINT_REDUCES_LEAPFROG_(...)
#define CMK_POINT_REDUCES_SUM_(...) __VA_ARGS__
#define CMK_POINT_REDUCES_MAX_(...) __VA_ARGS__
#define CMK_POINT_REDUCES_MIN_(...) __VA_ARGS__

/* the declarations that a LIST makes */
#define CMK_POINT_ASSERT_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, ASSERT, __VA_ARGS__)
#define CMK_POINT_EDGE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, EDGE, __VA_ARGS__)
#define CMK_POINT_SHAPE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, SHAPE, __VA_ARGS__)
#define CMK_POINT_WINDOW_2D_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, WINDOW_2D, __VA_ARGS__)
#define CMK_POINT_WINDOW_3D_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, WINDOW_3D, __VA_ARGS__)
#define CMK_POINT_BEFORE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, BEFORE, __VA_ARGS__)
#define CMK_POINT_VALUE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, VALUE, __VA_ARGS__)
#define CMK_POINT_SET_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, SET, __VA_ARGS__)
#define CMK_POINT_PARAMETER_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, PARAMETER, __VA_ARGS__)
#define CMK_POINT_ARGUMENT_(KIND, ...) CMK_POINT_WORDS_(CMK_POINT_LINE_##KIND##_, ARGUMENT, __VA_ARGS__)
#define CMK_POINT_SHAPE_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                        \
    CMK_POINT_READS_##KIND##_(char field AT[1 + (SHAPE)]; CMK_TYPE_(T) field##_type_;)                                 \
        CMK_POINT_REDUCES_##KIND##_(CMK_TYPE_(T) field##_##KIND##_;)
#define CMK_POINT_WINDOW_2D_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                    \
    CMK_POINT_READS_##KIND##_(CMK_POINT_ARRAY_2D_(T, SHAPE, field AT);)
#define CMK_POINT_WINDOW_3D_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                    \
    CMK_POINT_READS_##KIND##_(CMK_POINT_ARRAY_3D_(T, SHAPE, field AT);)
#define CMK_POINT_BEFORE_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                       \
    CMK_POINT_LEAPS_##KIND##_(CMK_TYPE_(T) field AT[cmk_point_most_];)
#define CMK_POINT_VALUE_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                        \
    CMK_POINT_WRITES_##KIND##_(CMK_TYPE_(T) field AT[cmk_point_most_];)
#define CMK_POINT_SET_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                          \
    CMK_POINT_WRITES_##KIND##_(char field AT[cmk_point_most_];)
#define CMK_POINT_PARAMETER_OF_VALUE_(T, value, BY) , CMK_UNUSED_ T const value
#define CMK_POINT_ARGUMENT_OF_VALUE_(T, value, BY) , value
#define CMK_POINT_ARGUMENT_OF_TABLE_(table) , table
#define CMK_POINT_ASSERT_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                       \
    CMK_NEEDS_("CMK_POINT", (SHAPE) >= 0, "a SHAPE must reach from 0 to 8");

/* enumerators, so that a misspelt word is reported once */
#define CMK_POINT_EDGE_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                         \
    CMK_POINT_READS_##KIND##_(                                                                                         \
        enum {field##_edge_ = (EDGE), field##_number_ = CMK_NUMBER_(CMK_TYPE_OF_(cmk_shapes_->field##_type_))};        \
        CMK_NEEDS_("CMK_POINT", CMK_EDGE_VALID_POINT_(field##_edge_), "EDGE must be an edge of edge.h");               \
        CMK_NEEDS_("CMK_POINT", CMK_EDGE_VALID_(field##_edge_) || field##_number_ >= 5,                                \
                   "an odd EDGE needs a field of float or double");)

/* the most elements of a window: whole vectors that cover the points of a tile and what is around them */
#define CMK_POINT_ELEMENTS_2D_(size, SHAPE)                                                                            \
    (CMK_POINT_HIGH_(SHAPE) * CMK_POINT_WIDTH_(CMK_POINT_LANES_(size), SHAPE, cmk_point_skew_lanes_ - 1))
#define CMK_POINT_HIGH_(SHAPE) (cmk_point_rows_ + 2 * CMK_POINT_ROWS_OF_(SHAPE))
#define CMK_POINT_ELEMENTS_3D_(size, SHAPE)                                                                            \
    ((cmk_point_planes_ + 2 * CMK_POINT_PLANES_OF_(SHAPE)) * (1 + 2 * CMK_POINT_ROWS_OF_(SHAPE)) *                     \
     CMK_POINT_WIDTH_(CMK_POINT_LANES_(size), SHAPE, 0))
#define CMK_POINT_PLANES_OF_(SHAPE) ((SHAPE) / 0x100 % 0x10)
#define CMK_POINT_ROWS_OF_(SHAPE) ((SHAPE) / 0x10 % 0x10)
#define CMK_POINT_COLUMNS_OF_(SHAPE) ((SHAPE) % 0x10)
#define CMK_POINT_UP_(count, lanes) (((count) + (lanes)-1) / (lanes) * (lanes))
/* The columns of a window before those of the tile, whole vectors, and all of a row. In a skewed tile a row of the
 * window may begin up to `lean` columns to the left or the right of another. */
#define CMK_POINT_LEFT_(lanes, SHAPE, lean)                                                                            \
    CMK_POINT_UP_(CMK_POINT_COLUMNS_OF_(SHAPE) + (CMK_POINT_ROWS_OF_(SHAPE) > 0 ? (lean) : 0), lanes)
#define CMK_POINT_WIDTH_(lanes, SHAPE, lean) ((lanes) + 2 * CMK_POINT_LEFT_(lanes, SHAPE, lean))
/* how many elements a vector of 16 bytes holds; 1 for elements that do not fill it */
#define CMK_POINT_LANES_(size) ((size) > 0 && (size) <= 16 && 16 % (size) == 0 ? 16 / (int)(size) : 1)

/* The array of a window. A type and a shape stand in it several times. In C++ they are template arguments, so that a
 * misspelt word is reported once. */
#if defined(__cplusplus)
template <typename element, int shape>
using cmk_point_window_2d_ = element[CMK_POINT_ELEMENTS_2D_(sizeof(element), shape)];
template <typename element, int shape>
using cmk_point_window_3d_ = element[CMK_POINT_ELEMENTS_3D_(sizeof(element), shape)];
#define CMK_POINT_ARRAY_2D_(T, SHAPE, field) cmk_point_window_2d_<CMK_TYPE_(T), (SHAPE)> field
#define CMK_POINT_ARRAY_3D_(T, SHAPE, field) cmk_point_window_3d_<CMK_TYPE_(T), (SHAPE)> field
#else
#define CMK_POINT_ARRAY_2D_(T, SHAPE, field) CMK_TYPE_(T) field[CMK_POINT_ELEMENTS_2D_(sizeof(T), SHAPE)]
#define CMK_POINT_ARRAY_3D_(T, SHAPE, field) CMK_TYPE_(T) field[CMK_POINT_ELEMENTS_3D_(sizeof(T), SHAPE)]
#endif

/* the bytes of device memory that a reduction needs, zeros before its first launch; the first of them are the result */
#define CMK_POINT_RESULT_BYTES 82048

/* ---- The words of an update */
#define CMK_POINT_AT(field, ...)                                                                                       \
    CMK_POINT_4TH_(__VA_ARGS__, CMK_POINT_AT_3D_, CMK_POINT_AT_2D_, CMK_POINT_AT_1D_, )(field, __VA_ARGS__)
#define CMK_POINT_4TH_(a, b, c, AT, ...) AT
#define CMK_POINT_AT_2D_(field, dy, dx) ((void)sizeof(cmk_shapes_->is_2d), CMK_POINT_READ_(field, 0, dy, dx))
#define CMK_POINT_AT_3D_(field, dz, dy, dx) ((void)sizeof(cmk_shapes_->is_3d), CMK_POINT_READ_(field, dz, dy, dx))
#define CMK_POINT_HERE(field) CMK_POINT_READ_(field, 0, 0, 0)
#define CMK_POINT_BEFORE(field) CMK_POINT_OWN_(cmk_befores_, field)
#define CMK_POINT_SET(field, value)                                                                                    \
    ((void)(CMK_POINT_OWN_(cmk_values_, field) = (value), CMK_POINT_OWN_(cmk_sets_, field) = cmk_point_set_))
#define CMK_POINT_OWN_(array, field) (array->field[cmk_point_output_(cmk_place_)])
/* A reduction: its KIND is named, so that another one is no member. What is said of a point twice is joined. */
#define CMK_POINT_ADD(field, value) CMK_POINT_SAY_(field, SUM, cmk_point_plus_, value)
#define CMK_POINT_MOST(field, value) CMK_POINT_SAY_(field, MAX, cmk_point_more_, value)
#define CMK_POINT_LEAST(field, value) CMK_POINT_SAY_(field, MIN, cmk_point_less_, value)
#define CMK_POINT_SAY_(field, KIND, join, value)                                                                       \
    ((void)sizeof(cmk_shapes_->field##_##KIND##_),                                                                     \
     (void)(CMK_POINT_OWN_(cmk_values_, field) = join(&CMK_POINT_OWN_(cmk_sets_, field), CMK_POINT_IS_FLOAT_(value),   \
                                                      CMK_POINT_OWN_(cmk_values_, field), value)))
/* whether a value has the size of a float, and a type that is no integer */
#define CMK_POINT_IS_FLOAT_(value) (sizeof(value) == 4 && (float)(__typeof__(+(value)))0.5f > 0.0f)
#define CMK_POINT_PLANE CMK_POINT_SEEN_(plane, planes, 1)
#define CMK_POINT_ROW CMK_POINT_SEEN_(row, rows, 2)
#define CMK_POINT_COLUMN CMK_POINT_SEEN_(column, columns, 4)
#define CMK_POINT_SEEN_(axis, axes, bit) cmk_point_seen_(cmk_place_->axis, cmk_place_->axes, cmk_place_->around &(bit))
#define CMK_POINT_PLANES (cmk_place_->planes)
#define CMK_POINT_ROWS (cmk_place_->rows)
#define CMK_POINT_COLUMNS (cmk_place_->columns)
#define CMK_POINT_STEP (cmk_place_->time)
#define CMK_POINT_STAGE (cmk_place_->stage)
#define CMK_POINT_COLOUR (((cmk_place_->dims == 3 ? CMK_POINT_PLANE : 0) + CMK_POINT_ROW + CMK_POINT_COLUMN) & 1)
#define CMK_POINT_INSIDE (cmk_place_->inside)
#define CMK_POINT_MINE cmk_point_mine_(cmk_place_)

/* an index along an axis, as an update sees it; where the axis wraps, i may lie one period outside */
CMK_FUNCTION int cmk_point_seen_(int i, int count, int wraps)
{
    if (!wraps) return i;
    return i < 0 ? i + count : i >= count ? i - count : i;
}

/* Marks that a value has been said for a reduction: one float, or another number. Returns whether there was one
 * before. */
enum { cmk_point_as_other_ = 1, cmk_point_as_float_ };
CMK_FUNCTION int cmk_point_said_(char *set, int is_float)
{
    const int before = *set != 0;
    *set = !before && is_float ? cmk_point_as_float_ : cmk_point_as_other_;
    return before;
}

/* the sum of what has been said of a point, if any, and a value; the more and the less of the two, or NaN */
CMK_FUNCTION double cmk_point_plus_(char *set, int is_float, double old, double value)
{
    return cmk_point_said_(set, is_float) ? old + value : value;
}

CMK_FUNCTION double cmk_point_more_(char *set, int is_float, double old, double value)
{
    return !cmk_point_said_(set, is_float) || value > old || value != value ? value : old;
}

CMK_FUNCTION double cmk_point_less_(char *set, int is_float, double old, double value)
{
    return !cmk_point_said_(set, is_float) || value < old || value != value ? value : old;
}

/* the point's number among those of its thread */
CMK_FUNCTION int cmk_point_output_(const cmk_point_place_ *place)
{
    return (place->z * place->tile.rows + place->y) * place->tile.lanes + place->x;
}

CMK_FUNCTION int cmk_point_mine_(const cmk_point_place_ *place)
{
    return place->way == cmk_point_in_tile_ || (place->mine >> cmk_point_output_(place) & 1);
}

/* by how many columns row y of a tile, or above it, begins further left than row 0; the lanes are a power of 2 */
CMK_FUNCTION int cmk_point_lean_(const cmk_point_tile_ *tile, int y)
{
    return y * tile->skew & tile->lean;
}

/* the columns of a window before those of the tile */
CMK_FUNCTION int cmk_point_left_(int shape, const cmk_point_tile_ *tile)
{
    return CMK_POINT_LEFT_(tile->lanes, shape, tile->lean);
}

/* Where in a window a neighbour lies. Each row of a window begins a whole number of vectors before that row of the
 * tile, also of a skewed one. */
CMK_FUNCTION int cmk_point_index_(int shape, const cmk_point_place_ *place, int dz, int dy, int dx)
{
    const int planes = place->dims == 3 ? CMK_POINT_PLANES_OF_(shape) : 0, rows = CMK_POINT_ROWS_OF_(shape);
    const int left = cmk_point_left_(shape, &place->tile);
    const int row = (place->z + dz + planes) * (place->tile.rows + 2 * rows) + place->y + dy + rows;
    const int lean = cmk_point_lean_(&place->tile, place->y + dy) - cmk_point_lean_(&place->tile, place->y);
    return row * (place->tile.lanes + 2 * left) + left + place->x + dx + lean;
}

CMK_FUNCTION int cmk_point_has_(int shape, int dz, int dy, int dx)
{
    const int planes = CMK_POINT_PLANES_OF_(shape), rows = CMK_POINT_ROWS_OF_(shape);
    const int columns = CMK_POINT_COLUMNS_OF_(shape), axes = (dz != 0) + (dy != 0) + (dx != 0);
    return dz <= planes && dz >= -planes && dy <= rows && dy >= -rows && dx <= columns && dx >= -columns &&
           (shape < 0x1000 || axes <= 1);
}

/* Whether a value is there: the point has kept it, or an update has set it. Only the CPU backend tells the two
 * apart. */
#if defined(__CUDACC__)

enum { cmk_point_kept_ = 1, cmk_point_set_ = 1 };

/* nobody defines this function: a call that the compiler has not removed stops the build */
extern "C" __device__ void cmk_POINT_AT_reads_outside_the_SHAPE_of_its_field(void);
CMK_INLINED_ int cmk_point_checked_(int shape, const cmk_point_place_ *place, int dz, int dy, int dx)
{
#if !defined(__CUDACC_DEBUG__)
    if (!cmk_point_has_(shape, dz, dy, dx)) cmk_POINT_AT_reads_outside_the_SHAPE_of_its_field();
#endif
    return cmk_point_index_(shape, place, dz, dy, dx);
}
#define CMK_POINT_READ_(field, dz, dy, dx)                                                                             \
    (cmk_at_->field[cmk_point_checked_((int)sizeof(cmk_shapes_->field) - 1, cmk_place_, dz, dy, dx)])
#define CMK_POINT_PARAMETER_OF_TABLE_(table) , CMK_UNUSED_ const table##_table &table

#else

enum { cmk_point_kept_ = 1, cmk_point_set_ = 3 };

/* stops with the offsets as the update has them: two in 2D, three in 3D */
__attribute__((noreturn, cold, noinline, unused)) static void cmk_point_outside_(int shape, int dims, int dz, int dy,
                                                                                 int dx, const char *field,
                                                                                 const char *file, int line)
{
    const int rows = CMK_POINT_ROWS_OF_(shape), columns = CMK_POINT_COLUMNS_OF_(shape);
    const char *const along = shape < 0x1000 ? "" : ", along the axes";
    if (dims == 2)
        cmk_host_fail_(file, line, "reads %s at (%d, %d): its SHAPE reaches %d rows, %d columns%s", field, dy, dx, rows,
                       columns, along);
    cmk_host_fail_(file, line, "reads %s at (%d, %d, %d): its SHAPE reaches %d planes, %d rows, %d columns%s", field,
                   dz, dy, dx, CMK_POINT_PLANES_OF_(shape), rows, columns, along);
}

CMK_INLINED_ int cmk_point_checked_(int shape, const cmk_point_place_ *place, int dz, int dy, int dx,
                                    const void *window, const char *field, const char *file, int line)
{
    if (dz != 0 || dy != 0 || dx != 0) cmk_host_note_beside_(window, file, line);
    if (!cmk_point_has_(shape, dz, dy, dx)) cmk_point_outside_(shape, place->dims, dz, dy, dx, field, file, line);
    return cmk_point_index_(shape, place, dz, dy, dx);
}
#define CMK_POINT_READ_(field, dz, dy, dx)                                                                             \
    (cmk_at_->field[cmk_point_checked_((int)sizeof(cmk_shapes_->field) - 1, cmk_place_, dz, dy, dx, cmk_at_->field,    \
                                       #field, __FILE__, CMK_HOST_LINE_)])
#define CMK_POINT_PARAMETER_OF_TABLE_(table) , CMK_UNUSED_ table##_table table

#endif

#endif
