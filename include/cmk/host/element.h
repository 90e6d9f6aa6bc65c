/* host/element.h: the check of every access of a kernel to shared memory.
 *
 *   CMK_HOST_TILE_GET_(tile, row, column)            the element
 *   CMK_HOST_TILE_SET_(tile, row, column, value)     writes it
 *
 * `tile` is the name of a tile, or any T (*)[columns + pad] that points into a tile or into global memory. Indices are
 * of any integer type, and each argument is evaluated once. An access is right under three conditions. Row and column
 * lie in the tile, or in its plane where the name stands for a plane. The column is not in the pad. An element that is
 * read was written in this block. */
#include "../base.h"
#ifndef CMK_HOST_ELEMENT_H
#define CMK_HOST_ELEMENT_H

/* A type made of the element refuses an index that is not an integer, as an array does. */
#define CMK_HOST_TILE_GET_(tile_, row_, column_)                                                                       \
    (*(const __typeof__((tile_)[row_][column_]) *)cmk_host_tile_get_(CMK_HOST_CELL_(tile_, row_, column_)))
#define CMK_HOST_TILE_SET_(tile_, row_, column_, value_)                                                               \
    CMK_HOST_ASSIGN_((tile_)[row_][column_], cmk_host_tile_set_(CMK_HOST_CELL_(tile_, row_, column_)), value_)
#define CMK_HOST_CELL_(tile_, row_, column_)                                                                           \
    (tile_), CMK_HOST_SHAPE_(tile_), (long long)(row_), (long long)(column_), #tile_, __FILE__, CMK_HOST_LINE_

/* The bytes of the whole tile, of a row and of an element, and the alignment. The whole is known where tile is an
 * array, as a plane of a 3D tile is. A 2D tile is a pointer to its rows. */
#define CMK_HOST_SHAPE_(tile_)                                                                                         \
    sizeof(__typeof__(tile_)), sizeof(__typeof__((tile_)[0])), sizeof(__typeof__((tile_)[0][0])),                      \
        __alignof__(__typeof__((tile_)[0][0]))

CMK_HOST_C_BEGIN_

#define CMK_HOST_ONES_ UINT64_C(0x0101010101010101)

/* The sizes for which the bytes of the map are compared at once. Other sizes go byte by byte. */
CMK_HOST_INLINE_ int cmk_host_is_simple_(size_t bytes)
{
    return !CMK_HOST_TSAN_ && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16);
}

/* Whether up to 8 bytes of the map all equal `byte`, when the bits of `set` are set in them. */
CMK_HOST_INLINE_ int cmk_host_map_word_(const unsigned char *map, size_t bytes, unsigned byte, uint64_t set)
{
    uint64_t found = 0;
    uint64_t ones = CMK_HOST_ONES_ >> (64 - 8 * bytes);
    memcpy(&found, map, bytes);
    return (found | (set & ones)) == byte * ones;
}

/* The same for a whole element. gcc -O0 also checks the last call, which is for 16 bytes; the bound makes it
 * correct. */
CMK_HOST_INLINE_ int cmk_host_map_is_(const unsigned char *map, size_t bytes, unsigned byte, uint64_t set)
{
    if (bytes == 16) return cmk_host_map_word_(map, 8, byte, set) && cmk_host_map_word_(map + 8, 8, byte, set);
    return cmk_host_map_word_(map, bytes < 8 ? bytes : 8, byte, set);
}

/* ---- What is wrong with an access */
/* Fails with the distance of an index from [0, limit). */
CMK_HOST_HELPER_ void cmk_host_fail_index_(const cmk_host_element_ *element, const char *what, const char *axis,
                                           long long index, long long limit)
{
    if (index < 0)
        cmk_host_fail_(element->file_, element->line_, "%s, %lld %s%s before the start", what, -index, axis,
                       index == -1 ? "" : "s");
    if (index >= limit)
        cmk_host_fail_(element->file_, element->line_, "%s, %lld %s%s past the end", what, index - limit + 1, axis,
                       index == limit ? "" : "s");
}

/* The row lies behind the end of the array that the tile is. */
CMK_HOST_HELPER_ void cmk_host_fail_plane_(const cmk_host_element_ *element)
{
    char what[256];
    snprintf(what, sizeof what, "%s element (%lld,%lld) of `%s`, which has %zu rows",
             element->writes_ ? "writes" : "reads", element->row_, element->column_, element->name_, element->rows_);
    cmk_host_fail_index_(element, what, "row", element->row_, (long long)element->rows_);
}

/* For an access to a tile that has the shape of its declaration. */
CMK_HOST_HELPER_ void cmk_host_fail_tile_(const cmk_host_element_ *element, const cmk_host_tile_entry_ *tile)
{
    const cmk_host_site_ *site = tile->site_;
    uintptr_t skipped = element->tile_ - cmk_host_arena_ - tile->offset_;
    long long row = element->row_ + (long long)(skipped / element->row_bytes_);
    long long column = element->column_ + (long long)(skipped % element->row_bytes_ / element->bytes_);
    char what[256];
    snprintf(what, sizeof what, "%s %s element (%lld,%lld) of tile `%s` [%lld][%lld]",
             element->writes_ ? "writes" : "reads", site->type_, row, column, site->name_, site->rows_, site->columns_);
    if (column >= site->columns_ && column < site->columns_ + site->pad_)
        cmk_host_fail_(element->file_, element->line_, "%s, %lld column%s past the end, in its pad", what,
                       column - site->columns_ + 1, column == site->columns_ ? "" : "s");
    cmk_host_fail_index_(element, what, "column", column, site->columns_);
    cmk_host_fail_index_(element, what, "row", row, site->rows_);
    cmk_host_fail_(element->file_, element->line_, "%s, which no thread of the block has written", what);
}

/* For an access by a pointer. The shape is that of the pointer; how many rows the memory has is not known. */
CMK_HOST_HELPER_ void cmk_host_fail_rows_(const cmk_host_element_ *element, const cmk_host_tile_entry_ *tile)
{
    long long columns = (long long)(element->row_bytes_ / element->bytes_);
    size_t skipped = element->tile_ - cmk_host_arena_ - tile->offset_;
    long long rows = (long long)((tile->bytes_ - skipped) / element->row_bytes_);
    char what[256];
    snprintf(what, sizeof what, "%s element (%lld,%lld) of `%s` [%lld][%lld] in %s",
             element->writes_ ? "writes" : "reads", element->row_, element->column_, element->name_, rows, columns,
             cmk_host_tile_name_(tile));
    cmk_host_fail_index_(element, what, "column", element->column_, columns);
    cmk_host_fail_index_(element, what, "row", element->row_, rows);
    cmk_host_fail_(element->file_, element->line_, "%s, which no thread of the block has written", what);
}

__attribute__((noreturn, cold)) CMK_HOST_QUIET_ void cmk_host_fail_element_(const cmk_host_element_ *element)
{
    uintptr_t first = element->tile_ - cmk_host_arena_;
    const cmk_host_tile_entry_ *tile = &cmk_host_shared_now_->tiles_[*cmk_host_map_(first) >> 2];
    const cmk_host_site_ *site = tile->site_;
    size_t pitch = site ? site->element_ * (size_t)(site->columns_ + site->pad_) : 0;
    if (pitch == element->row_bytes_ && site->element_ == element->bytes_) cmk_host_fail_tile_(element, tile);
    cmk_host_fail_rows_(element, tile);
    abort();
}

/* ---- Elements of tiles */

/* The rows of a tile of tile_bytes bytes. For a pointer they are not known. */
CMK_HOST_INLINE_ size_t cmk_host_tile_rows_(size_t tile_bytes, size_t row_bytes)
{
    return tile_bytes == sizeof(void *) ? 0 : tile_bytes / row_bytes;
}

CMK_HOST_INLINE_ int cmk_host_has_row_(cmk_host_element_ element)
{
    return element.rows_ == 0 || (unsigned long long)element.row_ < element.rows_;
}

/* The offset of an element in the arena. It is a number beyond the arena where the column is not in the row, or the row
 * not in the tile. */
CMK_HOST_INLINE_ uintptr_t cmk_host_element_at_(cmk_host_element_ element)
{
    unsigned long long columns = element.row_bytes_ / element.bytes_;
    if (!CMK_HOST_LIKELY_((unsigned long long)element.column_ < columns && cmk_host_has_row_(element)))
        return CMK_HOST_ARENA_BYTES_;
    return element.tile_ - cmk_host_arena_ + (uintptr_t)element.row_ * element.row_bytes_ +
           (uintptr_t)element.column_ * element.bytes_;
}

/* The byte that the map has for written elements of this tile. It is CMK_HOST_WRITTEN_ alone where the pointer points
 * into no tile. There is no branch, so that the compiler moves this out of loops. */
CMK_HOST_INLINE_ unsigned cmk_host_tile_byte_(cmk_host_element_ element)
{
    uintptr_t first = element.tile_ - cmk_host_arena_;
    first = first < CMK_HOST_ARENA_BYTES_ ? first : CMK_HOST_ARENA_BYTES_;
    return *cmk_host_map_(first) | CMK_HOST_WRITTEN_;
}

/* The full check, for what the inline check did not let through. A tile that is not in shared memory is in global
 * memory. */
CMK_HOST_HELPER_ void cmk_host_element_check_(const cmk_host_element_ *element)
{
    unsigned byte = cmk_host_tile_byte_(*element);
    uintptr_t at = cmk_host_element_at_(*element);
    if (!cmk_host_has_row_(*element)) cmk_host_fail_plane_(element);
    cmk_host_range_ recent[2] = {{0, 0}, {0, 0}};
    if (byte > CMK_HOST_WRITTEN_) {
        if (at >= CMK_HOST_ARENA_BYTES_ || !cmk_host_element_bytewise_(element, at, byte))
            cmk_host_fail_element_(element);
        return;
    }
    if (at == CMK_HOST_ARENA_BYTES_)
        cmk_host_fail_(element->file_, element->line_, "%s column %lld of `%s`, which has %zu columns",
                       element->writes_ ? "writes" : "reads", element->column_, element->name_,
                       element->row_bytes_ / element->bytes_);
    cmk_host_access_(recent, cmk_host_arena_ + at, element->bytes_, 1, element->writes_, element->file_,
                     element->line_);
}

CMK_HOST_INLINE_ uintptr_t cmk_host_element_address_(cmk_host_element_ element)
{
    return element.tile_ + (uintptr_t)element.row_ * element.row_bytes_ + (uintptr_t)element.column_ * element.bytes_;
}

/* Two numbers as one argument of the functions below. Each further argument would take registers of every kernel, and
 * so would a structure. */
CMK_HOST_INLINE_ uint64_t cmk_host_pair_(size_t high, size_t low)
{
    return (uint64_t)high << 32 | (uint32_t)low;
}

CMK_HOST_HELPER_ cmk_host_element_ cmk_host_element_of_(const volatile void *tile, uint64_t shape, long long row,
                                                        long long column, uint64_t bytes_and_line, const char *name,
                                                        const char *file, int writes)
{
    const cmk_host_element_ element = {(uintptr_t)tile,
                                       (uint32_t)shape,
                                       (size_t)(shape >> 32),
                                       (size_t)(bytes_and_line >> 32),
                                       row,
                                       column,
                                       name,
                                       file,
                                       (int)(uint32_t)bytes_and_line,
                                       writes};
    return element;
}

/* Both return the address of the element. shape has the bytes of a row and the rows. The first function does not change
 * memory, and is declared so to the compiler. */
__attribute__((pure)) CMK_HOST_QUIET_ uintptr_t cmk_host_get_slow_(const volatile void *tile, uint64_t shape,
                                                                   long long row, long long column,
                                                                   uint64_t bytes_and_line, const char *name,
                                                                   const char *file)
{
    const cmk_host_element_ element = cmk_host_element_of_(tile, shape, row, column, bytes_and_line, name, file, 0);
    cmk_host_element_check_(&element);
    return cmk_host_element_address_(element);
}

CMK_HOST_QUIET_ uintptr_t cmk_host_set_slow_(volatile void *tile, uint64_t shape, long long row, long long column,
                                             uint64_t bytes_and_line, const char *name, const char *file)
{
    const cmk_host_element_ element = cmk_host_element_of_(tile, shape, row, column, bytes_and_line, name, file, 1);
    cmk_host_element_check_(&element);
    return cmk_host_element_address_(element);
}

/* Looks for races, where the element is in a tile; one that is in none fails the check that follows. */
CMK_HOST_QUIET_ void cmk_host_element_race_(const cmk_host_element_ *element)
{
    const uintptr_t at = cmk_host_element_at_(*element);
    if (at < CMK_HOST_ARENA_BYTES_ && *cmk_host_map_(at) != CMK_HOST_OUTSIDE_)
        cmk_host_race_look_(at, element->bytes_, element->writes_, cmk_host_origin_of_(element->file_, element->line_));
}

CMK_HOST_INLINE_ void *cmk_host_tile_get_(const volatile void *tile, size_t tile_bytes, size_t row_bytes, size_t bytes,
                                          size_t align, long long row, long long column, const char *name,
                                          const char *file, int line)
{
    const size_t rows = cmk_host_tile_rows_(tile_bytes, row_bytes);
    const cmk_host_element_ element = {(uintptr_t)tile, rows, row_bytes, bytes, row, column, name, file, line, 0};
    if (CMK_HOST_COUNTS_) cmk_host_count_(cmk_host_element_address_(element), bytes, align, 0, &element, file, line);
    unsigned byte = cmk_host_tile_byte_(element);
    uintptr_t at = cmk_host_element_at_(element);
    if (CMK_HOST_RACES_) cmk_host_element_race_(&element);
    if (cmk_host_is_simple_(bytes) && CMK_HOST_LIKELY_(at < CMK_HOST_ARENA_BYTES_) &&
        CMK_HOST_LIKELY_(cmk_host_map_is_(cmk_host_map_(at), bytes, byte, 0)))
        return (void *)cmk_host_element_address_(element);
    return (void *)cmk_host_get_slow_(tile, cmk_host_pair_(row_bytes, rows), row, column,
                                      cmk_host_pair_(bytes, (size_t)line), name, file);
}

CMK_HOST_INLINE_ void *cmk_host_tile_writable_(cmk_host_element_ element)
{
    const size_t bytes = element.bytes_;
    unsigned byte = cmk_host_tile_byte_(element);
    uintptr_t at = cmk_host_element_at_(element);
    if (CMK_HOST_RACES_) cmk_host_element_race_(&element);
    if (cmk_host_is_simple_(bytes) && CMK_HOST_LIKELY_(at < CMK_HOST_ARENA_BYTES_) &&
        CMK_HOST_LIKELY_(cmk_host_map_is_(cmk_host_map_(at), bytes, byte, CMK_HOST_ONES_))) {
        memset(cmk_host_map_(at), (int)byte, bytes);
        return (void *)cmk_host_element_address_(element);
    }
    return (void *)cmk_host_set_slow_((volatile void *)element.tile_, cmk_host_pair_(element.row_bytes_, element.rows_),
                                      element.row_, element.column_, cmk_host_pair_(bytes, (size_t)element.line_),
                                      element.name_, element.file_);
}

/* The same, with counters (count.h). */
CMK_HOST_INLINE_ void *cmk_host_tile_set_(volatile void *tile, size_t tile_bytes, size_t row_bytes, size_t bytes,
                                          size_t align, long long row, long long column, const char *name,
                                          const char *file, int line)
{
    const size_t rows = cmk_host_tile_rows_(tile_bytes, row_bytes);
    const cmk_host_element_ element = {(uintptr_t)tile, rows, row_bytes, bytes, row, column, name, file, line, 1};
    if (CMK_HOST_COUNTS_) cmk_host_count_(cmk_host_element_address_(element), bytes, align, 1, &element, file, line);
    return cmk_host_tile_writable_(element);
}

CMK_HOST_C_END_

#endif
