/* stencil.h: stencils of NumPy arrays, as plain loops: what stencil2d.h and stencil3d.h of cmk/kernel compute, by the
 * same update, with the edges of kernel/point/window.h. A source includes it before a definition, of which it makes
 *
 *   name_grid name_domain(...), name_inner(...)
 *   cudaError_t name_steps(name_grid *grid, size_t steps, VALUES..., cudaStream_t stream)
 *
 * all fields of which have the pitches of the grid, and no LIST arrays of fields or tables. A launch is a stage; a
 * block of one thread, some rows. An update reads a field where it lies; near an edge of the grid, from a copy of what
 * is around the point. */
#include <cmk/kernel/stencil2d.h>
#include <cmk/kernel/stencil3d.h>

enum { cmk_python_points_ = 1 << 14 }; /* of a block, or more */

/* ---- What a point has in place of windows: where its value lies, and from there the next plane and the next row */
#define CMK_PYTHON_WINDOW_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                      \
    CMK_POINT_READS_##KIND##_(struct {                                                                                 \
        const T *at_;                                                                                                  \
        ptrdiff_t plane_, row_;                                                                                        \
    } field;)
#define CMK_PYTHON_BEFORE_OF_(KIND, T, field, AT, N, SHAPE, EDGE) CMK_POINT_LEAPS_##KIND##_(T field[1];)
#define CMK_PYTHON_VALUE_OF_(KIND, T, field, AT, N, SHAPE, EDGE) CMK_POINT_WRITES_##KIND##_(T field[1];)
#define CMK_PYTHON_SET_OF_(KIND, T, field, AT, N, SHAPE, EDGE) CMK_POINT_WRITES_##KIND##_(char field[1];)
#undef CMK_POINT_WINDOW_2D_OF_
#undef CMK_POINT_WINDOW_3D_OF_
#undef CMK_POINT_BEFORE_OF_
#undef CMK_POINT_VALUE_OF_
#undef CMK_POINT_SET_OF_
#undef CMK_POINT_READ_
#define CMK_POINT_WINDOW_2D_OF_ CMK_PYTHON_WINDOW_OF_
#define CMK_POINT_WINDOW_3D_OF_ CMK_PYTHON_WINDOW_OF_
#define CMK_POINT_BEFORE_OF_ CMK_PYTHON_BEFORE_OF_
#define CMK_POINT_VALUE_OF_ CMK_PYTHON_VALUE_OF_
#define CMK_POINT_SET_OF_ CMK_PYTHON_SET_OF_
#define CMK_POINT_READ_(field, dz, dy, dx)                                                                             \
    (cmk_at_->field                                                                                                    \
         .at_[cmk_python_beside_((int)sizeof(cmk_shapes_->field) - 1, cmk_place_, dz, dy, dx, &cmk_at_->field,         \
                                 cmk_at_->field.plane_, cmk_at_->field.row_, #field, __FILE__, CMK_HOST_LINE_)])

CMK_HOST_INLINE_ ptrdiff_t cmk_python_beside_(int shape, const cmk_point_place_ *place, int dz, int dy, int dx,
                                              const void *window, ptrdiff_t plane, ptrdiff_t row, const char *field,
                                              const char *file, int line)
{
    (void)cmk_point_checked_(shape, place, dz, dy, dx, window, field, file, line);
    return dz * plane + dy * row + dx;
}

/* ---- A copy of what is around a point near an edge: the planes, rows and columns of its field's reach */
#define CMK_PYTHON_ROW_(SHAPE) (1 + 2 * CMK_POINT_COLUMNS_OF_(SHAPE))
#define CMK_PYTHON_PLANE_(SHAPE) ((1 + 2 * CMK_POINT_ROWS_OF_(SHAPE)) * CMK_PYTHON_ROW_(SHAPE))
#define CMK_PYTHON_BOX_(SHAPE) ((1 + 2 * CMK_POINT_PLANES_OF_(SHAPE)) * CMK_PYTHON_PLANE_(SHAPE))

static void cmk_python_copy_(char *point, const char *from, cmk_point_field_ f, cmk_point_layout_ layout,
                             const cmk_point_place_ *place)
{
    const int planes = CMK_POINT_PLANES_OF_(f.shape), rows = CMK_POINT_ROWS_OF_(f.shape);
    const int columns = CMK_POINT_COLUMNS_OF_(f.shape);
    for (int z = place->dims == 3 ? -planes : 0; z <= (place->dims == 3 ? planes : 0); ++z)
        for (int y = -rows; y <= rows; ++y) {
            const cmk_point_row_ row = cmk_point_row_of_(from, f, layout, place, z, y);
            const int middle = z * CMK_PYTHON_PLANE_(f.shape) + y * CMK_PYTHON_ROW_(f.shape);
            for (int x = -columns; x <= columns; ++x) {
                const cmk_point_source_ source =
                    cmk_point_source_of_(CMK_EDGE_COLUMN(f.edge), place->column + x, place->columns);
                if (cmk_point_has_(f.shape, z, y, x))
                    cmk_point_element_(point + (middle + x) * f.size, row, f, layout.outside, source);
            }
        }
}

#define CMK_PYTHON_BOXES_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, PYTHON_BOX, __VA_ARGS__)
#define CMK_POINT_PYTHON_BOX_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                   \
    CMK_POINT_READS_##KIND##_(T field[CMK_PYTHON_BOX_(SHAPE)];)

/* ---- A point: what it looks at, and what becomes of what it sets; a field that is read in place is not read beside */
#define CMK_PYTHON_LOOK_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, PYTHON_LOOK, __VA_ARGS__)
#define CMK_POINT_PYTHON_LOOK_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                  \
    CMK_POINT_READS_##KIND##_(                                                                                         \
        cmk_windows_.field.at_ = cmk_grid_->field + cmk_here_;                                                         \
        cmk_windows_.field.plane_ = (ptrdiff_t)cmk_grid_->plane_pitch;                                                 \
        cmk_windows_.field.row_ = (ptrdiff_t)cmk_grid_->row_pitch; if (!cmk_place_.inside && (SHAPE) % 0x1000 != 0) {  \
            cmk_python_copy_((char *)(cmk_boxes_->field + CMK_PYTHON_BOX_(SHAPE) / 2), (const char *)cmk_grid_->field, \
                             CMK_POINT_OF_PASS_(field), CMK_PYTHON_LAYOUT_(field), &cmk_place_);                       \
            cmk_windows_.field.at_ = cmk_boxes_->field + CMK_PYTHON_BOX_(SHAPE) / 2;                                   \
            cmk_windows_.field.plane_ = CMK_PYTHON_PLANE_(SHAPE), cmk_windows_.field.row_ = CMK_PYTHON_ROW_(SHAPE);    \
        }) CMK_POINT_LEAPS_##KIND##_(cmk_befores_.field[0] = cmk_grid_->field##_before[cmk_here_];)                    \
        CMK_POINT_WRITES_##KIND##_(cmk_sets_.field[0] = 0;)
#define CMK_PYTHON_LAYOUT_(field)                                                                                      \
    cmk_point_layout_of_(cmk_grid_->row_pitch, cmk_grid_->plane_pitch, &cmk_grid_->field##_outside)
#define CMK_PYTHON_STORE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, PYTHON_STORE, __VA_ARGS__)
#define CMK_POINT_PYTHON_STORE_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                                 \
    CMK_POINT_SPARES_##KIND##_(if (cmk_point_KIND_##KIND == cmk_point_KIND_SAME && cmk_sets_.field[0])                 \
                                   cmk_host_check_beside_(&cmk_windows_.field, #field);)                               \
        CMK_POINT_KEEPS_##KIND##_(if (!cmk_sets_.field[0]) cmk_values_.field[0] = cmk_windows_.field.at_[0];           \
                                  cmk_sets_.field[0] = 1;)                                                             \
            CMK_POINT_WRITES_##KIND##_(if (cmk_sets_.field[0]) cmk_grid_->CMK_POINT_TARGET_##KIND##_(                  \
                                           field)[cmk_here_] = cmk_values_.field[0];)

#define CMK_PYTHON_POINTS_(name, LIST)                                                                                 \
    CMK_STRUCT_(name##_boxes_, char none_; LIST(CMK_PYTHON_BOXES_))                                                    \
    CMK_INLINED_ void name##_points_(const name##_grid *cmk_grid_, name##_boxes_ *cmk_boxes_,                          \
                                     cmk_point_place_ cmk_place_, int cmk_end_ LIST(CMK_POINT_PARAMETER_))             \
    {                                                                                                                  \
        size_t cmk_here_ = cmk_python_at_(cmk_grid_->plane_pitch, cmk_grid_->row_pitch, &cmk_place_);                  \
        (void)cmk_boxes_;                                                                                              \
        for (; cmk_place_.column < cmk_end_; ++cmk_place_.column, ++cmk_here_) {                                       \
            name##_windows_ cmk_windows_;                                                                              \
            name##_befores_ cmk_befores_;                                                                              \
            name##_values_ cmk_values_;                                                                                \
            name##_sets_ cmk_sets_;                                                                                    \
            cmk_host_forget_besides_();                                                                                \
            CMK_POINT_ITS_FIELDS_(name)                                                                                \
            LIST(CMK_PYTHON_LOOK_)                                                                                     \
            name##_point_(&cmk_windows_, (const name##_shapes_ *)0, &cmk_befores_, &cmk_place_, &cmk_values_,          \
                          &cmk_sets_ LIST(CMK_POINT_ARGUMENT_));                                                       \
            LIST(CMK_PYTHON_STORE_)                                                                                    \
        }                                                                                                              \
    }

/* ---- A block: rows of the part, each in three pieces, of which the one between is inside */
static size_t cmk_python_rows_of_(const cmk_point_sizes_ *s)
{
    return (s->end_plane - s->first_plane) * (s->end_row - s->first_row);
}

static size_t cmk_python_each_(const cmk_point_sizes_ *s)
{
    return cmk_python_points_ / (s->end_column - s->first_column) + 1;
}

static unsigned cmk_python_blocks_(const cmk_point_sizes_ *s)
{
    return (unsigned)((cmk_python_rows_of_(s) - 1) / cmk_python_each_(s) + 1);
}

static size_t cmk_python_at_(size_t plane_pitch, size_t row_pitch, const cmk_point_place_ *place)
{
    return (size_t)place->plane * plane_pitch + (size_t)place->row * row_pitch + (size_t)place->column;
}

/* the first point of row k of the part */
static cmk_point_place_ cmk_python_place_(const cmk_point_sizes_ *s, int dims, int stage, size_t k)
{
    cmk_point_place_ p = CMK_ZEROS_(cmk_point_place_);
    const size_t rows = s->end_row - s->first_row;
    p.dims = dims;
    p.stage = stage;
    p.tile.planes = p.tile.rows = p.tile.lanes = p.sure = 1;
    p.plane = (int)(s->first_plane + k / rows), p.row = (int)(s->first_row + k % rows);
    p.planes = (int)s->planes, p.rows = (int)s->rows, p.columns = (int)s->columns;
    p.time = (cmk_i64)s->first_step;
    return p;
}

/* the columns of its row whose neighbours are all in the grid */
static cmk_point_axis_ cmk_python_inside_(const cmk_point_sizes_ *s, int reach, const cmk_point_place_ *p)
{
    const int planes = p->dims == 3 ? CMK_POINT_PLANES_OF_(reach) : 0, rows = CMK_POINT_ROWS_OF_(reach);
    const int columns = CMK_POINT_COLUMNS_OF_(reach), first = (int)s->first_column, end = (int)s->end_column;
    cmk_point_axis_ inside = {end, end, p->columns};
    if (p->plane < planes || p->plane >= p->planes - planes || p->row < rows || p->row >= p->rows - rows) return inside;
    inside.first = first > columns ? first : cmk_least_(columns, end);
    inside.end = cmk_least_(end, p->columns - columns);
    if (inside.end < inside.first) inside.end = inside.first;
    return inside;
}

/* of a place, that of the first column of a piece */
static cmk_point_place_ cmk_python_piece_(cmk_point_place_ p, int column, int inside)
{
    p.column = column;
    p.inside = inside;
    return p;
}

#define CMK_PYTHON_KERNEL_(name, LIST)                                                                                 \
    CMK_DEVICE_ void name##_piece_(const name##_grid *cmk_grid_, name##_boxes_ *cmk_boxes_,                            \
                                   cmk_point_place_ cmk_place_, int cmk_end_ LIST(CMK_POINT_PARAMETER_))               \
    {                                                                                                                  \
        const int cmk_inside_ = cmk_place_.inside;                                                                     \
        cmk_place_.inside = 1;                                                                                         \
        if (cmk_inside_) name##_points_(cmk_grid_, cmk_boxes_, cmk_place_, cmk_end_ LIST(CMK_POINT_ARGUMENT_));        \
        cmk_place_.inside = 0;                                                                                         \
        if (!cmk_inside_) name##_points_(cmk_grid_, cmk_boxes_, cmk_place_, cmk_end_ LIST(CMK_POINT_ARGUMENT_));       \
    }                                                                                                                  \
    static __global__ void name##_kernel(const name##_grid cmk_grid_, const cmk_point_sizes_ cmk_sizes_,               \
                                         int cmk_stage_ LIST(CMK_POINT_ACCEPT_))                                       \
    {                                                                                                                  \
        static __thread name##_boxes_ cmk_boxes_;                                                                      \
        const size_t cmk_each_ = cmk_python_each_(&cmk_sizes_), cmk_all_ = cmk_python_rows_of_(&cmk_sizes_);           \
        for (size_t cmk_k_ = blockIdx.x * cmk_each_; cmk_k_ < cmk_all_ && cmk_k_ < (blockIdx.x + 1) * cmk_each_;       \
             ++cmk_k_) {                                                                                               \
            const cmk_point_place_ cmk_place_ = cmk_python_place_(&cmk_sizes_, name##_dims_, cmk_stage_, cmk_k_);      \
            const cmk_point_axis_ cmk_in_ = cmk_python_inside_(&cmk_sizes_, name##_definition_().reach, &cmk_place_);  \
            const int cmk_ends_[] = {(int)cmk_sizes_.first_column, cmk_in_.first, cmk_in_.end,                         \
                                     (int)cmk_sizes_.end_column};                                                      \
            for (int cmk_j_ = 0; cmk_j_ < 3; ++cmk_j_)                                                                 \
                name##_piece_(&cmk_grid_, &cmk_boxes_, cmk_python_piece_(cmk_place_, cmk_ends_[cmk_j_], cmk_j_ == 1),  \
                              cmk_ends_[cmk_j_ + 1] LIST(CMK_POINT_ARGUMENT_));                                        \
        }                                                                                                              \
    }

/* ---- The host's functions: behind a stage the buffers of a level change places */
#define CMK_PYTHON_EXCHANGE_(KIND, ...) CMK_POINT_FIELDS_(CMK_POINT_LINE_##KIND##_, PYTHON_EXCHANGE, __VA_ARGS__)
#define CMK_POINT_PYTHON_EXCHANGE_OF_(KIND, T, field, AT, N, SHAPE, EDGE)                                              \
    CMK_POINT_KEEPS_##KIND##_({                                                                                        \
        T *const cmk_held_ = cmk_grid_->field;                                                                         \
        cmk_grid_->field = cmk_grid_->CMK_POINT_TARGET_##KIND##_(field);                                               \
        cmk_grid_->CMK_POINT_TARGET_##KIND##_(field) = cmk_held_;                                                      \
    })
#define CMK_PYTHON_STEPS_(name, LIST)                                                                                  \
    static cudaError_t name##_steps(name##_grid *cmk_grid_, size_t cmk_steps_ LIST(CMK_POINT_TAKE_),                   \
                                    cudaStream_t cmk_stream_)                                                          \
    {                                                                                                                  \
        cmk_point_sizes_ cmk_sizes_;                                                                                   \
        memcpy(&cmk_sizes_, cmk_grid_, sizeof cmk_sizes_);                                                             \
        CMK_REFUSED_(#name, cmk_point_sizes_why_(&cmk_sizes_));                                                        \
        if (cmk_point_sizes_why_(&cmk_sizes_) != NULL) return cudaErrorInvalidValue;                                   \
        for (size_t cmk_k_ = 0; cmk_k_ < cmk_steps_ * name##_stages_ && !cmk_point_empty_(&cmk_sizes_); ++cmk_k_) {    \
            const int cmk_stage_ = (int)(cmk_k_ % name##_stages_);                                                     \
            cmk_sizes_.first_step = cmk_k_ / name##_stages_;                                                           \
            const cudaError_t cmk_error_ =                                                                             \
                CMK_LAUNCH(name##_kernel, cmk_python_blocks_(&cmk_sizes_), 1, 0, cmk_stream_, *cmk_grid_, cmk_sizes_,  \
                           cmk_stage_ LIST(CMK_POINT_ARGUMENT_));                                                      \
            if (cmk_error_ != cudaSuccess) return cmk_error_;                                                          \
            LIST(CMK_PYTHON_EXCHANGE_)                                                                                 \
        }                                                                                                              \
        return cudaSuccess;                                                                                            \
    }

/* ---- Definitions */
#define CMK_PYTHON_DEFINE_(name, LIST)                                                                                 \
    CMK_LINE_ enum { name##_is_defined_ = name##_has_an_update_, name##_dims_ = name##_of_dims_ };                     \
    CMK_LINE_ enum { name##_stages_ = name##_of_stages_ };                                                             \
    CMK_STRUCT_(name##_grid, CMK_POINT_SIZES_; LIST(CMK_POINT_GRID_))                                                  \
    CMK_POINT_CONSTANTS_(name, LIST)                                                                                   \
    CMK_PYTHON_POINTS_(name, LIST)                                                                                     \
    CMK_PYTHON_KERNEL_(name, LIST)                                                                                     \
    CMK_PYTHON_STEPS_(name, LIST)
#undef CMK_DEFINE_STENCIL2D
#undef CMK_DEFINE_STENCIL3D
#define CMK_DEFINE_STENCIL2D(name, LIST)                                                                               \
    CMK_PYTHON_DEFINE_(name, LIST)                                                                                     \
    CMK_POINT_GRIDS_(name, (size_t rows, size_t columns, size_t row_pitch), 1, rows, columns, 0, row_pitch)            \
    CMK_SEMICOLON_
#define CMK_DEFINE_STENCIL3D(name, LIST)                                                                               \
    CMK_PYTHON_DEFINE_(name, LIST)                                                                                     \
    CMK_POINT_GRIDS_(name, (size_t planes, size_t rows, size_t columns, size_t plane_pitch, size_t row_pitch), planes, \
                     rows, columns, plane_pitch, row_pitch)                                                            \
    CMK_SEMICOLON_
