/* host/element.h: the check of every access of a kernel to shared memory.
 *
 *   CMK_HOST_TILE_GET_(tile, row, column)            the element
 *   CMK_HOST_TILE_SET_(tile, row, column, value)     writes it
 *
 * `tile` is the name of a tile, or any T (*)[columns + pad] that points into one or into global memory.
 * Indices are of any integer type; each argument is evaluated once. An access is right when row and column lie in the
 * tile, or in its plane where the name is that of one, the column is no pad, and, for a read, the element was written in
 * this block. */
#include "../base.h"
#ifndef CMK_HOST_ELEMENT_H
#define CMK_HOST_ELEMENT_H

#define CMK_HOST_TILE_GET_(tile_, row_, column_)                                                                       \
    (*(const __typeof__((tile_)[0][0]) *)cmk_host_tile_get_((tile_), CMK_HOST_SHAPE_(tile_), (long long)(row_),        \
                                                            (long long)(column_), #tile_, __FILE__, CMK_HOST_LINE_))

/* The value comes first: it may read the element that is about to be marked as written. */
#define CMK_HOST_TILE_SET_(tile_, row_, column_, value_)                                                               \
    __extension__({                                                                                                    \
        __typeof__((tile_)[0][0]) cmk_host_value_ = (value_);                                                          \
        *(__typeof__(&(tile_)[0][0]))cmk_host_tile_set_((tile_), CMK_HOST_SHAPE_(tile_), (long long)(row_),            \
                                                        (long long)(column_), #tile_, __FILE__, CMK_HOST_LINE_) =      \
            cmk_host_value_;                                                                                           \
        (void)0;                                                                                                       \
    })

/* Bytes of the whole, of a row, of an element; alignment. The whole is known of an array, as a plane of a tile is one;
 * a tile of two dimensions is a pointer to its rows. */
#define CMK_HOST_SHAPE_(tile_)                                                                                         \
    sizeof(__typeof__(tile_)), sizeof((tile_)[0]), sizeof((tile_)[0][0]), __alignof__(__typeof__((tile_)[0][0]))

/* One access to a tile, for the cold path. */
typedef struct cmk_host_element_ {
    uintptr_t tile_;
    size_t rows_; /* of the array that the tile is; 0 where it is a pointer */
    size_t row_bytes_;
    size_t bytes_;
    long long row_;
    long long column_;
    const char *name_;
    const char *file_;
    int line_;
    int writes_;
} cmk_host_element_;

CMK_HOST_C_BEGIN_

#define CMK_HOST_ONES_ UINT64_C(0x0101010101010101)

/* The sizes whose bytes of the map are compared at once; anything else goes byte by byte. */
CMK_HOST_INLINE_ int cmk_host_is_simple_(size_t bytes_)
{
    return !CMK_HOST_TSAN_ && (bytes_ == 1 || bytes_ == 2 || bytes_ == 4 || bytes_ == 8 || bytes_ == 16);
}

/* Whether up to 8 bytes of the map are all this byte, with some bits taken as set. */
CMK_HOST_INLINE_ int cmk_host_map_word_(const unsigned char *map_, size_t bytes_, unsigned byte_,
                                        uint64_t set_)
{
    uint64_t found_ = 0;
    uint64_t ones_ = CMK_HOST_ONES_ >> (64 - 8 * bytes_);
    memcpy(&found_, map_, bytes_);
    return (found_ | (set_ & ones_)) == byte_ * ones_;
}

/* The same for a whole element; gcc -O0 judges the last call for 16 bytes too, which the bound keeps right. */
CMK_HOST_INLINE_ int cmk_host_map_is_(const unsigned char *map_, size_t bytes_, unsigned byte_, uint64_t set_)
{
    if (bytes_ == 16)
        return cmk_host_map_word_(map_, 8, byte_, set_) && cmk_host_map_word_(map_ + 8, 8, byte_, set_);
    return cmk_host_map_word_(map_, bytes_ < 8 ? bytes_ : 8, byte_, set_);
}

/* ---- What is wrong with an access */
CMK_HOST_HELPER_ const char *cmk_host_tile_name_(const cmk_host_tile_entry_ *tile_)
{
    return tile_->site_ ? tile_->site_->name_ : "dynamic shared memory";
}

/* Fails with the distance of an index from [0, limit). */
CMK_HOST_HELPER_ void cmk_host_fail_index_(const cmk_host_element_ *element_, const char *what_,
                                           const char *axis_, long long index_, long long limit_)
{
    if (index_ < 0)
        cmk_host_fail_(element_->file_, element_->line_, "%s, %lld %s%s before the start", what_, -index_,
                       axis_, index_ == -1 ? "" : "s");
    if (index_ >= limit_)
        cmk_host_fail_(element_->file_, element_->line_, "%s, %lld %s%s past the end", what_,
                       index_ - limit_ + 1, axis_, index_ == limit_ ? "" : "s");
}

/* The array that the tile is ends before the row. */
CMK_HOST_HELPER_ void cmk_host_fail_plane_(const cmk_host_element_ *element_)
{
    char what_[256];
    snprintf(what_, sizeof what_, "%s element (%lld,%lld) of `%s`, which has %zu rows",
             element_->writes_ ? "writes" : "reads", element_->row_, element_->column_, element_->name_,
             element_->rows_);
    cmk_host_fail_index_(element_, what_, "row", element_->row_, (long long)element_->rows_);
}

/* The tile has the shape that it was declared with. */
CMK_HOST_HELPER_ void cmk_host_fail_tile_(const cmk_host_element_ *element_,
                                          const cmk_host_tile_entry_ *tile_)
{
    const cmk_host_site_ *site_ = tile_->site_;
    uintptr_t skipped_ = element_->tile_ - cmk_host_arena_ - tile_->offset_;
    long long row_ = element_->row_ + (long long)(skipped_ / element_->row_bytes_);
    long long column_ = element_->column_ + (long long)(skipped_ % element_->row_bytes_ / element_->bytes_);
    char what_[256];
    snprintf(what_, sizeof what_, "%s %s element (%lld,%lld) of tile `%s` [%lld][%lld]",
             element_->writes_ ? "writes" : "reads", site_->type_, row_, column_, site_->name_, site_->rows_,
             site_->columns_);
    if (column_ >= site_->columns_ && column_ < site_->columns_ + site_->pad_)
        cmk_host_fail_(element_->file_, element_->line_, "%s, %lld column%s past the end, in its pad", what_,
                       column_ - site_->columns_ + 1, column_ == site_->columns_ ? "" : "s");
    cmk_host_fail_index_(element_, what_, "column", column_, site_->columns_);
    cmk_host_fail_index_(element_, what_, "row", row_, site_->rows_);
    cmk_host_fail_(element_->file_, element_->line_, "%s, which no thread of the block has written", what_);
}

/* The shape is that of the pointer, the memory a range of rows of unknown number. */
CMK_HOST_HELPER_ void cmk_host_fail_rows_(const cmk_host_element_ *element_,
                                          const cmk_host_tile_entry_ *tile_)
{
    long long columns_ = (long long)(element_->row_bytes_ / element_->bytes_);
    size_t skipped_ = element_->tile_ - cmk_host_arena_ - tile_->offset_;
    long long rows_ = (long long)((tile_->bytes_ - skipped_) / element_->row_bytes_);
    char what_[256];
    snprintf(what_, sizeof what_, "%s element (%lld,%lld) of `%s` [%lld][%lld] in %s",
             element_->writes_ ? "writes" : "reads", element_->row_, element_->column_, element_->name_,
             rows_, columns_, cmk_host_tile_name_(tile_));
    cmk_host_fail_index_(element_, what_, "column", element_->column_, columns_);
    cmk_host_fail_index_(element_, what_, "row", element_->row_, rows_);
    cmk_host_fail_(element_->file_, element_->line_, "%s, which no thread of the block has written", what_);
}

__attribute__((noreturn, cold)) CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_fail_element_(
    const cmk_host_element_ *element_)
{
    uintptr_t first_ = element_->tile_ - cmk_host_arena_;
    const cmk_host_tile_entry_ *tile_ = &cmk_host_shared_now_->tiles_[*cmk_host_map_(first_) >> 2];
    const cmk_host_site_ *site_ = tile_->site_;
    size_t pitch_ = site_ ? site_->element_ * (size_t)(site_->columns_ + site_->pad_) : 0;
    if (pitch_ == element_->row_bytes_ && site_->element_ == element_->bytes_)
        cmk_host_fail_tile_(element_, tile_);
    cmk_host_fail_rows_(element_, tile_);
    abort();
}

/* ---- Elements of tiles */

/* The rows of a tile of so many bytes; of a pointer it is not known. */
CMK_HOST_INLINE_ size_t cmk_host_tile_rows_(size_t tile_bytes, size_t row_bytes)
{
    return tile_bytes == sizeof(void *) ? 0 : tile_bytes / row_bytes;
}

CMK_HOST_INLINE_ int cmk_host_has_row_(cmk_host_element_ element_)
{
    return element_.rows_ == 0 || (unsigned long long)element_.row_ < element_.rows_;
}

/* Offset of an element in the arena, or a number beyond the arena when the column is none of the row, or the row none
 * of the tile. */
CMK_HOST_INLINE_ uintptr_t cmk_host_element_at_(cmk_host_element_ element_)
{
    unsigned long long columns_ = element_.row_bytes_ / element_.bytes_;
    if (!CMK_HOST_LIKELY_((unsigned long long)element_.column_ < columns_ && cmk_host_has_row_(element_)))
        return CMK_HOST_ARENA_BYTES_;
    return element_.tile_ - cmk_host_arena_ + (uintptr_t)element_.row_ * element_.row_bytes_ +
           (uintptr_t)element_.column_ * element_.bytes_;
}

/* The byte of the map that written elements of this tile have; CMK_HOST_WRITTEN_ alone when the pointer is
 * into no tile. Without a branch, so that the compiler takes it out of loops. */
CMK_HOST_INLINE_ unsigned cmk_host_tile_byte_(cmk_host_element_ element_)
{
    uintptr_t first_ = element_.tile_ - cmk_host_arena_;
    first_ = first_ < CMK_HOST_ARENA_BYTES_ ? first_ : CMK_HOST_ARENA_BYTES_;
    return *cmk_host_map_(first_) | CMK_HOST_WRITTEN_;
}

/* Elements whose size is no power of two, and every access under ThreadSanitizer. */
CMK_HOST_HELPER_ int cmk_host_element_bytewise_(const cmk_host_element_ *element_, uintptr_t at_,
                                                unsigned byte_)
{
    volatile unsigned char *map_ = cmk_host_map_(at_);
    for (size_t i_ = 0; i_ < element_->bytes_; i_++) {
        unsigned state_ = element_->writes_ ? map_[i_] | 1u : map_[i_];
        if (state_ != byte_)
            return 0;
        if (element_->writes_)
            map_[i_] = (unsigned char)byte_;
    }
    return 1;
}

/* What the inline check did not let through. A tile that is no shared memory is global memory. */
CMK_HOST_HELPER_ void cmk_host_element_check_(const cmk_host_element_ *element_)
{
    unsigned byte_ = cmk_host_tile_byte_(*element_);
    uintptr_t at_ = cmk_host_element_at_(*element_);
    if (!cmk_host_has_row_(*element_))
        cmk_host_fail_plane_(element_);
    cmk_host_range_ recent_[2] = {{0, 0}, {0, 0}};
    if (byte_ > CMK_HOST_WRITTEN_) {
        if (at_ >= CMK_HOST_ARENA_BYTES_ || !cmk_host_element_bytewise_(element_, at_, byte_))
            cmk_host_fail_element_(element_);
        return;
    }
    if (at_ == CMK_HOST_ARENA_BYTES_)
        cmk_host_fail_(element_->file_, element_->line_, "%s column %lld of `%s`, which has %zu columns",
                       element_->writes_ ? "writes" : "reads", element_->column_, element_->name_,
                       element_->row_bytes_ / element_->bytes_);
    cmk_host_access_(recent_, cmk_host_arena_ + at_, element_->bytes_, 1, element_->writes_, element_->file_,
                     element_->line_);
}

CMK_HOST_INLINE_ uintptr_t cmk_host_element_address_(cmk_host_element_ element_)
{
    return element_.tile_ + (uintptr_t)element_.row_ * element_.row_bytes_ +
           (uintptr_t)element_.column_ * element_.bytes_;
}

/* Two numbers as one argument of the functions below: each more of them takes registers of every kernel, as would a
 * structure. */
CMK_HOST_INLINE_ uint64_t cmk_host_pair_(size_t high, size_t low)
{
    return (uint64_t)high << 32 | (uint32_t)low;
}

CMK_HOST_HELPER_ cmk_host_element_ cmk_host_element_of_(const volatile void *tile, uint64_t shape, long long row,
                                                        long long column, uint64_t bytes_and_line, const char *name,
                                                        const char *file, int writes)
{
    const cmk_host_element_ element = {(uintptr_t)tile,  (uint32_t)shape, (size_t)(shape >> 32),
                                       (size_t)(bytes_and_line >> 32), row, column, name, file,
                                       (int)(uint32_t)bytes_and_line, writes};
    return element;
}

/* Both return the address of the element; shape is the bytes of a row and the rows. The first leaves memory as it is, which the compiler may know. */
__attribute__((pure)) CMK_HOST_ONE_ CMK_HOST_QUIET_ uintptr_t cmk_host_get_slow_(
    const volatile void *tile, uint64_t shape, long long row, long long column, uint64_t bytes_and_line,
    const char *name, const char *file)
{
    const cmk_host_element_ element =
        cmk_host_element_of_(tile, shape, row, column, bytes_and_line, name, file, 0);
    cmk_host_element_check_(&element);
    return cmk_host_element_address_(element);
}

CMK_HOST_ONE_ CMK_HOST_QUIET_ uintptr_t cmk_host_set_slow_(
    volatile void *tile, uint64_t shape, long long row, long long column, uint64_t bytes_and_line, const char *name,
    const char *file)
{
    const cmk_host_element_ element =
        cmk_host_element_of_(tile, shape, row, column, bytes_and_line, name, file, 1);
    cmk_host_element_check_(&element);
    return cmk_host_element_address_(element);
}

CMK_HOST_INLINE_ void *cmk_host_tile_get_(
    const volatile void *tile_, size_t tile_bytes_, size_t row_bytes_, size_t bytes_, size_t align_, long long row_,
    long long column_, const char *name_, const char *file_, int line_)
{
    const size_t rows_ = cmk_host_tile_rows_(tile_bytes_, row_bytes_);
    const cmk_host_element_ element_ = {
        (uintptr_t)tile_, rows_, row_bytes_, bytes_, row_, column_, name_, file_, line_, 0};
    if (CMK_HOST_COUNTS_)
        cmk_host_count_(
            cmk_host_element_address_(element_), bytes_, align_, 0, &element_, file_, line_);
    unsigned byte_ = cmk_host_tile_byte_(element_);
    uintptr_t at_ = cmk_host_element_at_(element_);
    if (cmk_host_is_simple_(bytes_) && CMK_HOST_LIKELY_(at_ < CMK_HOST_ARENA_BYTES_) &&
        CMK_HOST_LIKELY_(cmk_host_map_is_(cmk_host_map_(at_), bytes_, byte_, 0)))
        return (void *)cmk_host_element_address_(element_);
    return (void *)cmk_host_get_slow_(tile_, cmk_host_pair_(row_bytes_, rows_), row_, column_,
        cmk_host_pair_(bytes_, (size_t)line_), name_, file_);
}

CMK_HOST_INLINE_ void *cmk_host_tile_writable_(
    volatile void *tile_, size_t rows_, size_t row_bytes_, size_t bytes_, long long row_, long long column_,
    const char *name_, const char *file_, int line_)
{
    const cmk_host_element_ element_ = {
        (uintptr_t)tile_, rows_, row_bytes_, bytes_, row_, column_, name_, file_, line_, 1};
    unsigned byte_ = cmk_host_tile_byte_(element_);
    uintptr_t at_ = cmk_host_element_at_(element_);
    if (cmk_host_is_simple_(bytes_) && CMK_HOST_LIKELY_(at_ < CMK_HOST_ARENA_BYTES_) &&
        CMK_HOST_LIKELY_(cmk_host_map_is_(cmk_host_map_(at_), bytes_, byte_, CMK_HOST_ONES_))) {
        memset(cmk_host_map_(at_), (int)byte_, bytes_);
        return (void *)cmk_host_element_address_(element_);
    }
    return (void *)cmk_host_set_slow_(tile_, cmk_host_pair_(row_bytes_, rows_), row_, column_,
        cmk_host_pair_(bytes_, (size_t)line_), name_, file_);
}

/* The same, counted. */
CMK_HOST_INLINE_ void *cmk_host_tile_set_(
    volatile void *tile_, size_t tile_bytes_, size_t row_bytes_, size_t bytes_, size_t align_, long long row_,
    long long column_, const char *name_, const char *file_, int line_)
{
    const size_t rows_ = cmk_host_tile_rows_(tile_bytes_, row_bytes_);
    const cmk_host_element_ element_ = {
        (uintptr_t)tile_, rows_, row_bytes_, bytes_, row_, column_, name_, file_, line_, 1};
    if (CMK_HOST_COUNTS_)
        cmk_host_count_(
            cmk_host_element_address_(element_), bytes_, align_, 1, &element_, file_, line_);
    return cmk_host_tile_writable_(tile_, rows_, row_bytes_, bytes_, row_, column_, name_, file_, line_);
}

/* ---- Accesses by pointer */

/* The nearest tile that ends at or before the offset, null if there is none. */
CMK_HOST_HELPER_ const cmk_host_tile_entry_ *cmk_host_tile_below_(uintptr_t offset_)
{
    const cmk_host_shared_ *shared_ = cmk_host_shared_now_;
    const cmk_host_tile_entry_ *below_ = NULL;
    for (unsigned i_ = 1; i_ <= shared_->count_; i_++) {
        if (shared_->tiles_[i_].offset_ + shared_->tiles_[i_].bytes_ <= offset_)
            below_ = &shared_->tiles_[i_];
    }
    return below_;
}

__attribute__((noreturn, cold)) CMK_HOST_ONE_ CMK_HOST_QUIET_ void cmk_host_fail_shared_(
    uintptr_t offset_, size_t bytes_, int writes_, const char *file_, int line_)
{
    const char *verb_ = writes_ ? "writes" : "reads";
    unsigned state_ = *cmk_host_map_(offset_);
    unsigned last_ = *cmk_host_map_(offset_ + bytes_ - 1);
    const cmk_host_tile_entry_ *tile_ = &cmk_host_shared_now_->tiles_[state_ >> 2];
    const cmk_host_tile_entry_ *below_ = cmk_host_tile_below_(offset_);
    if (state_ && !last_)
        cmk_host_fail_(file_, line_, "%s %zu bytes across the end of %s (%zu bytes)", verb_, bytes_,
                       cmk_host_tile_name_(tile_), tile_->bytes_);
    if (state_ && ((state_ & 3) == CMK_HOST_PAD_ || (last_ & 3) == CMK_HOST_PAD_))
        cmk_host_fail_(
            file_, line_, "%s %zu bytes in the pad of %s", verb_, bytes_, cmk_host_tile_name_(tile_));
    if (state_)
        cmk_host_fail_(
            file_, line_, "reads %zu bytes at byte %zu of %s, which no thread of the block has written",
            bytes_, offset_ - tile_->offset_, cmk_host_tile_name_(tile_));
    if (below_)
        cmk_host_fail_(
            file_, line_, "%s %zu bytes of shared memory, %zu bytes past the end of %s (%zu bytes)", verb_,
            bytes_, offset_ - below_->offset_ - below_->bytes_, cmk_host_tile_name_(below_), below_->bytes_);
    cmk_host_fail_(
        file_, line_,
        "%s %zu bytes of shared memory outside of all tiles; the launch gave %zu bytes of "
        "dynamic shared memory",
        verb_, bytes_, cmk_host_shared_now_->dynamic_bytes_);
}

CMK_HOST_ONE_ CMK_HOST_QUIET_ int cmk_host_shared_access_(
    uintptr_t address_, size_t bytes_, int writes_, const char *file_, int line_)
{
    uintptr_t offset_ = address_ - cmk_host_arena_;
    if (offset_ >= CMK_HOST_ARENA_BYTES_)
        return 0;
    cmk_host_element_ element_ = {address_, 0, 0, bytes_, 0, 0, NULL, file_, line_, writes_};
    unsigned byte_ = *cmk_host_map_(offset_) | CMK_HOST_WRITTEN_;
    if (byte_ == CMK_HOST_WRITTEN_ || !cmk_host_element_bytewise_(&element_, offset_, byte_))
        cmk_host_fail_shared_(offset_, bytes_, writes_, file_, line_);
    return 1;
}

CMK_HOST_C_END_

#endif
