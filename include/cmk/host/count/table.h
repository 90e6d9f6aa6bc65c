/* host/count/table.h: the counts by kernel and by place: the totals of count.h, the text for people, the CSV for programs.
 */
#include "../../base.h"
#ifndef CMK_HOST_COUNT_TABLE_H
#define CMK_HOST_COUNT_TABLE_H

CMK_HOST_C_BEGIN_

/* ---- Totals */
CMK_HOST_HELPER_ long long cmk_host_count_of_(const cmk_host_spot_ *spot_, int counter_)
{
    const unsigned long long conflicts_ = spot_->wavefronts_ - spot_->groups_;
    const unsigned long long shared_[] = {spot_->requests_, spot_->wavefronts_, conflicts_};
    const unsigned long long global_[] = {spot_->requests_, spot_->sectors_, spot_->used_};
    int kind_ = counter_ < 12 ? counter_ / 3 : cmk_host_constant_load_;
    if (spot_->kind_ != kind_) return 0;
    if (kind_ == cmk_host_constant_load_) return (long long)(counter_ == 12 ? spot_->requests_ : spot_->replays_);
    return (long long)(kind_ <= cmk_host_shared_store_ ? shared_ : global_)[counter_ % 3];
}

CMK_HOST_ONE_ long long cmk_host_count_total_(const char *kernel_, int counter_)
{
    const cmk_host_counted_ *counted_ = cmk_host_counted_of_(kernel_);
    long long total_ = 0;
    if (!counted_) return -1;
    if (counter_ == 14) return (long long)counted_->operations_;
    for (const cmk_host_spot_ *spot_ = cmk_host_spot_first_; spot_; spot_ = spot_->later_) {
        if (strcmp(spot_->kernel_, kernel_) == 0) total_ += cmk_host_count_of_(spot_, counter_);
    }
    return total_;
}

CMK_HOST_HELPER_ const char *cmk_host_kind_name_(int kind_)
{
    static const char *const names_[] = {"shared load", "shared store", "global load", "global store",
                                         "constant load"};
    return names_[kind_];
}

/* Complains of each access that has conflicts or moves more bytes than it uses; and of a kernel that has not run. */
CMK_HOST_ONE_ int cmk_host_count_clean_(const char *kernel_)
{
    int clean_ = 1;
    if (!cmk_host_counted_of_(kernel_)) {
        fprintf(stderr, "cmk: kernel %s: nothing is counted, or it has not run\n", kernel_);
        return 0;
    }
    for (const cmk_host_spot_ *spot_ = cmk_host_spot_first_; spot_; spot_ = spot_->later_) {
        unsigned long long moved_ = spot_->sectors_ * 32, conflicts_ = spot_->wavefronts_ - spot_->groups_;
        if (strcmp(spot_->kernel_, kernel_) != 0 || (conflicts_ == 0 && moved_ <= spot_->used_))
            continue;
        clean_ = 0;
        fprintf(stderr, "cmk: kernel %s: %s:%d: %s: ", kernel_, spot_->file_, CMK_HOST_LINE_OF_(spot_->line_),
                cmk_host_kind_name_(spot_->kind_));
        if (conflicts_ > 0)
            fprintf(stderr, "%llu bank conflicts in %llu requests\n", conflicts_, spot_->requests_);
        else
            fprintf(stderr, "uses %llu of %llu bytes\n", spot_->used_, moved_);
    }
    return clean_;
}

/* ---- The report: text for people, CSV for programs */

/* An SM of sm_90. Beside what a block asks for, 1 KB of shared memory is reserved for it, so that it gets 227 KB at
 * most; it takes whole units of 128 bytes. */
#define CMK_HOST_SM_THREADS_ 2048u
#define CMK_HOST_SM_BLOCKS_ 32u
#define CMK_HOST_SM_SHARED_ (228u << 10)

/* Why no pad removes a conflict. */
enum {
    cmk_host_pad_swizzle_ = -1, /* none up to 128 bytes helps */
    cmk_host_pad_order_ = -2,   /* nor could it: all lanes are in one row */
    cmk_host_pad_none_ = -3     /* no conflict, or no tile */
};

/* Accesses of one kind and width on one line, or one of them. */
typedef struct cmk_host_row_ {
    const cmk_host_spot_ *spot_; /* of them, the one with the most conflicts */
    unsigned long long requests_, wavefronts_, groups_, sectors_, used_, replays_;
} cmk_host_row_;

/* What a kernel moves, and how many blocks of it an SM holds. */
typedef struct cmk_host_summary_ {
    unsigned long long moved_, used_;
    unsigned by_threads_, by_shared_;
    double occupancy_; /* percent */
} cmk_host_summary_;

/* The conflicts of the costliest request if the rows of its tile lay pitch bytes apart; -1 where its words would not be
 * aligned. */
CMK_HOST_HELPER_ int cmk_host_count_at_pitch_(const cmk_host_spot_ *spot_, size_t pitch_)
{
    cmk_host_request_ moved_ = spot_->sample_;
    unsigned long long groups_ = 0;
    if (pitch_ % spot_->bytes_ != 0) return -1;
    for (unsigned lane_ = 0; lane_ < 32; lane_++) {
        uint64_t at_ = moved_.lanes_.address_[lane_] - moved_.start_;
        moved_.lanes_.address_[lane_] = moved_.start_ + at_ / spot_->pitch_ * pitch_ + at_ % spot_->pitch_;
    }
    unsigned wavefronts_ =
        cmk_host_count_wavefronts_(&moved_.lanes_, spot_->bytes_, spot_->kind_ == cmk_host_shared_load_, &groups_);
    return (int)(wavefronts_ - (unsigned)groups_);
}

CMK_HOST_HELPER_ int cmk_host_count_same_tile_(const cmk_host_spot_ *one_, const cmk_host_spot_ *other_)
{
    return other_->tile_ && one_->pitch_ == other_->pitch_ && one_->sample_.start_ == other_->sample_.start_ &&
           strcmp(one_->kernel_, other_->kernel_) == 0;
}

/* Whether no other access of the tile loses by this pitch. */
CMK_HOST_HELPER_ int cmk_host_count_suits_(const cmk_host_spot_ *spot_, size_t pitch_)
{
    for (const cmk_host_spot_ *other_ = cmk_host_spot_first_; other_; other_ = other_->later_) {
        if (other_ == spot_ || !cmk_host_count_same_tile_(spot_, other_)) continue;
        int conflicts_ = cmk_host_count_at_pitch_(other_, pitch_);
        if (conflicts_ < 0 || conflicts_ > cmk_host_count_at_pitch_(other_, other_->pitch_)) return 0;
    }
    return 1;
}

CMK_HOST_HELPER_ int cmk_host_count_one_row_(const cmk_host_spot_ *spot_)
{
    uint64_t low_ = UINT64_MAX, high_ = 0;
    for (unsigned lane_ = 0; lane_ < 32; lane_++) {
        uint64_t row_ = (spot_->sample_.lanes_.address_[lane_] - spot_->sample_.start_) / spot_->pitch_;
        if (!(spot_->sample_.lanes_.mask_ >> lane_ & 1)) continue;
        low_ = row_ < low_ ? row_ : low_;
        high_ = row_ > high_ ? row_ : high_;
    }
    return low_ == high_;
}

/* The smallest pad that removes the conflict of an access to a tile: of the columns where they are known, beyond the
 * present rows where not. */
CMK_HOST_HELPER_ int cmk_host_count_pad_(const cmk_host_spot_ *spot_)
{
    if (!spot_->tile_ || spot_->wavefronts_ == spot_->groups_) return cmk_host_pad_none_;
    if (cmk_host_count_one_row_(spot_)) return cmk_host_pad_order_;
    for (size_t pad_ = 0; pad_ * spot_->element_ <= 128; pad_++) {
        size_t pitch_ = spot_->columns_ + pad_ * spot_->element_;
        if (cmk_host_count_at_pitch_(spot_, pitch_) == 0 && cmk_host_count_suits_(spot_, pitch_)) return (int)pad_;
    }
    return cmk_host_pad_swizzle_;
}

CMK_HOST_HELPER_ void cmk_host_count_remedy_(char *text_, size_t bytes_, const cmk_host_spot_ *spot_)
{
    int pad_ = cmk_host_count_pad_(spot_);
    if (pad_ >= 0)
        snprintf(text_, bytes_, spot_->declared_ ? "PAD %d of %s" : "PAD + %d of %s", pad_, spot_->tile_);
    else
        snprintf(text_, bytes_, "%s",
                 pad_ == cmk_host_pad_swizzle_ ? "a swizzle"
                 : pad_ == cmk_host_pad_order_ ? "another order"
                                               : "-");
}

CMK_HOST_HELPER_ double cmk_host_percent_(unsigned long long part_, unsigned long long whole_)
{
    return part_ >= whole_ ? 100.0 : 100.0 * (double)part_ / (double)whole_;
}

CMK_HOST_HELPER_ double cmk_host_row_efficiency_(const cmk_host_row_ *row_)
{
    if (row_->spot_->kind_ <= cmk_host_shared_store_) return cmk_host_percent_(row_->groups_, row_->wavefronts_);
    if (row_->spot_->kind_ <= cmk_host_global_store_) return cmk_host_percent_(row_->used_, row_->sectors_ * 32);
    return cmk_host_percent_(row_->requests_, row_->requests_ + row_->replays_);
}

/* By file, line, kind, width, number on the line. */
CMK_HOST_HELPER_ int cmk_host_row_compare_(const void *left_, const void *right_)
{
    const cmk_host_spot_ *one_ = ((const cmk_host_row_ *)left_)->spot_;
    const cmk_host_spot_ *two_ = ((const cmk_host_row_ *)right_)->spot_;
    int difference_ = strcmp(one_->file_, two_->file_);
    if (difference_ == 0) difference_ = CMK_HOST_LINE_OF_(one_->line_) - CMK_HOST_LINE_OF_(two_->line_);
    if (difference_ == 0) difference_ = one_->kind_ - two_->kind_;
    if (difference_ == 0) difference_ = (int)one_->bytes_ - (int)two_->bytes_;
    return difference_ != 0 ? difference_ : one_->line_ - two_->line_;
}

CMK_HOST_HELPER_ int cmk_host_row_same_line_(const cmk_host_spot_ *one_, const cmk_host_spot_ *two_)
{
    return CMK_HOST_LINE_OF_(one_->line_) == CMK_HOST_LINE_OF_(two_->line_) && strcmp(one_->file_, two_->file_) == 0;
}

CMK_HOST_HELPER_ void cmk_host_row_add_(cmk_host_row_ *sum_, const cmk_host_row_ *row_)
{
    const cmk_host_spot_ *one_ = sum_->spot_, *two_ = row_->spot_;
    sum_->requests_ += row_->requests_;
    sum_->wavefronts_ += row_->wavefronts_;
    sum_->groups_ += row_->groups_;
    sum_->sectors_ += row_->sectors_;
    sum_->used_ += row_->used_;
    sum_->replays_ += row_->replays_;
    if (two_->wavefronts_ - two_->groups_ > one_->wavefronts_ - one_->groups_) sum_->spot_ = two_;
}

/* The accesses of a kernel in order, to be freed; those of one kind, width and line as one where sums is true. */
CMK_HOST_HELPER_ cmk_host_row_ *cmk_host_rows_(const char *kernel_, int sums_, size_t *count_)
{
    size_t all_ = 0, kept_ = 0;
    for (const cmk_host_spot_ *spot_ = cmk_host_spot_first_; spot_; spot_ = spot_->later_)
        all_ += strcmp(spot_->kernel_, kernel_) == 0;
    cmk_host_row_ *rows_ = (cmk_host_row_ *)cmk_host_need_(calloc(all_ + 1, sizeof *rows_), "the report"),
                  *row_ = rows_;
    for (const cmk_host_spot_ *spot_ = cmk_host_spot_first_; spot_; spot_ = spot_->later_) {
        if (strcmp(spot_->kernel_, kernel_) != 0) continue;
        const cmk_host_row_ one_ = {spot_,           spot_->requests_, spot_->wavefronts_, spot_->groups_,
                                    spot_->sectors_, spot_->used_,     spot_->replays_};
        *row_++ = one_;
    }
    qsort(rows_, all_, sizeof *rows_, cmk_host_row_compare_);
    for (size_t k_ = 0; k_ < all_; k_++) {
        const cmk_host_spot_ *one_ = kept_ > 0 ? rows_[kept_ - 1].spot_ : NULL, *two_ = rows_[k_].spot_;
        if (sums_ && one_ && cmk_host_row_same_line_(one_, two_) && one_->kind_ == two_->kind_ &&
            one_->bytes_ == two_->bytes_)
            cmk_host_row_add_(&rows_[kept_ - 1], &rows_[k_]);
        else
            rows_[kept_++] = rows_[k_];
    }
    *count_ = kept_;
    return rows_;
}

CMK_HOST_HELPER_ cmk_host_summary_ cmk_host_summary_of_(const cmk_host_counted_ *counted_)
{
    cmk_host_summary_ summary_ = {0, 0, 0, 0, 0.0};
    for (const cmk_host_spot_ *spot_ = cmk_host_spot_first_; spot_; spot_ = spot_->later_) {
        if (strcmp(spot_->kernel_, counted_->kernel_) != 0) continue;
        summary_.moved_ += 32 * spot_->sectors_;
        summary_.used_ += spot_->used_;
    }
    unsigned threads_ = (counted_->block_.x * counted_->block_.y * counted_->block_.z + 31) / 32 * 32;
    unsigned shared_ = ((unsigned)counted_->shared_bytes_ + 127) / 128 * 128 + 1024;
    summary_.by_threads_ = CMK_HOST_SM_THREADS_ / threads_;
    summary_.by_shared_ = CMK_HOST_SM_SHARED_ / shared_;
    if (summary_.by_threads_ > CMK_HOST_SM_BLOCKS_) summary_.by_threads_ = CMK_HOST_SM_BLOCKS_;
    if (summary_.by_shared_ > CMK_HOST_SM_BLOCKS_) summary_.by_shared_ = CMK_HOST_SM_BLOCKS_;
    unsigned blocks_ = summary_.by_threads_ < summary_.by_shared_ ? summary_.by_threads_ : summary_.by_shared_;
    summary_.occupancy_ = 100.0 * blocks_ * threads_ / CMK_HOST_SM_THREADS_;
    return summary_;
}

CMK_HOST_HELPER_ double cmk_host_intensity_(const cmk_host_counted_ *counted_, const cmk_host_summary_ *summary_)
{
    return summary_->moved_ == 0 ? 0.0 : (double)counted_->operations_ / (double)summary_->moved_;
}

/* A line of a source file without the blanks around it and a backslash at its end; empty where there is none. */
CMK_HOST_HELPER_ void cmk_host_source_line_(char *text_, size_t bytes_, const char *file_, int line_)
{
    FILE *source_ = fopen(file_, "r");
    size_t count_ = 0;
    int c_ = 0;
    while (source_ && line_ > 0 && (c_ = fgetc(source_)) != EOF) {
        int blank_ = c_ == ' ' || c_ == '\t' || c_ == '\r' || c_ == '\n';
        if (line_ == 1 && count_ + 1 < bytes_ && !(blank_ && count_ == 0)) text_[count_++] = (char)(blank_ ? ' ' : c_);
        line_ -= c_ == '\n';
    }
    while (count_ > 0 && (text_[count_ - 1] == ' ' || text_[count_ - 1] == '\\')) count_--;
    text_[count_] = 0;
    if (source_) fclose(source_);
}

CMK_HOST_HELPER_ void cmk_host_text_kernel_(FILE *text_, const cmk_host_counted_ *counted_)
{
    const cmk_host_summary_ summary_ = cmk_host_summary_of_(counted_);
    fprintf(text_,
            "kernel %s: %llu launch%s, grid %u x %u x %u, block %u x %u x %u, %zu bytes of shared memory a block\n",
            counted_->kernel_, counted_->launches_, counted_->launches_ == 1 ? "" : "es", counted_->grid_.x,
            counted_->grid_.y, counted_->grid_.z, counted_->block_.x, counted_->block_.y, counted_->block_.z,
            counted_->shared_bytes_);
    fprintf(text_, "  %llu bytes between L1 and L2, %llu used (%.1f %%); %llu operations, %.3f a byte\n",
            summary_.moved_, summary_.used_, cmk_host_percent_(summary_.used_, summary_.moved_), counted_->operations_,
            cmk_host_intensity_(counted_, &summary_));
    fprintf(text_,
            "  blocks on an SM of sm_90: %u by threads, %u by shared memory: %.0f %% of its threads; registers are not "
            "known here\n",
            summary_.by_threads_, summary_.by_shared_, summary_.occupancy_);
}

/* What an access costs, in what, and the least that it could. */
CMK_HOST_HELPER_ void cmk_host_text_row_(FILE *text_, const cmk_host_row_ *row_)
{
    static const char *const units_[] = {"wavefronts", "wavefronts", "sectors", "sectors", "replays"};
    const int kind_ = row_->spot_->kind_;
    const unsigned long long counts_[] = {row_->wavefronts_, row_->sectors_, row_->replays_};
    const unsigned long long ideals_[] = {row_->groups_, (row_->used_ + 31) / 32, 0};
    char remedy_[64];
    cmk_host_count_remedy_(remedy_, sizeof remedy_, row_->spot_);
    char bytes_[16] = "-"; /* of a constant the index is known, not the width */
    if (kind_ != cmk_host_constant_load_) snprintf(bytes_, sizeof bytes_, "%u", row_->spot_->bytes_);
    fprintf(text_, "%7d  %-13s %5s %11llu %11llu %-10s %11llu %11llu %8.1f %%  %-16s",
            CMK_HOST_LINE_OF_(row_->spot_->line_), cmk_host_kind_name_(kind_), bytes_, row_->requests_,
            counts_[kind_ / 2], units_[kind_], ideals_[kind_ / 2], row_->wavefronts_ - row_->groups_,
            cmk_host_row_efficiency_(row_), remedy_);
}

CMK_HOST_HELPER_ void cmk_host_text_rows_(FILE *text_, const char *kernel_)
{
    size_t count_;
    cmk_host_row_ *rows_ = cmk_host_rows_(kernel_, 1, &count_);
    char source_[104];
    for (size_t k_ = 0; k_ < count_; k_++) {
        const cmk_host_spot_ *spot_ = rows_[k_].spot_, *before_ = k_ > 0 ? rows_[k_ - 1].spot_ : NULL;
        if (k_ == 0 || strcmp(spot_->file_, before_->file_) != 0)
            fprintf(text_, "  %s\n%7s  %-13s %5s %11s %22s %11s %11s %10s  %-16s  %s\n", spot_->file_, "line", "access",
                    "bytes", "requests", "cost          ", "ideal", "conflicts", "efficiency", "remedy", "source");
        cmk_host_text_row_(text_, &rows_[k_]);
        cmk_host_source_line_(source_, sizeof source_, spot_->file_, CMK_HOST_LINE_OF_(spot_->line_));
        fprintf(text_, "  %s\n", before_ && cmk_host_row_same_line_(spot_, before_) ? "\"" : source_);
    }
    free(rows_);
}

CMK_HOST_HELPER_ void cmk_host_csv_text_(FILE *csv_, const char *text_)
{
    fputc('"', csv_);
    for (; *text_; text_++) {
        if (*text_ == '"') fputc('"', csv_);
        fputc(*text_, csv_);
    }
    fputs("\",", csv_);
}

/* The columns of every record: first those of an access, then those of a kernel; empty where they are the other's. */
CMK_HOST_HELPER_ void cmk_host_csv_head_(FILE *csv_)
{
    fputs(
        "record,kernel,file,line,access,kind,tile,bytes_a_lane,requests,wavefronts,ideal_wavefronts,conflicts,sectors,"
        "ideal_sectors,replays,efficiency,pad,source,bytes_moved,bytes_used,launches,grid,block,shared_bytes,"
        "operations,operations_a_byte,blocks_by_threads,blocks_by_shared,occupancy\n",
        csv_);
}

CMK_HOST_HELPER_ void cmk_host_csv_kernel_(FILE *csv_, const cmk_host_counted_ *counted_)
{
    const cmk_host_summary_ summary_ = cmk_host_summary_of_(counted_);
    const uint3 grid_ = counted_->grid_, block_ = counted_->block_;
    fputs("kernel,", csv_);
    cmk_host_csv_text_(csv_, counted_->kernel_);
    fprintf(csv_, ",,,,,,,,,,,,,%.1f,,,%llu,%llu,%llu,%ux%ux%u,%ux%ux%u,%zu,%llu,%.3f,%u,%u,%.0f\n",
            cmk_host_percent_(summary_.used_, summary_.moved_), summary_.moved_, summary_.used_, counted_->launches_,
            grid_.x, grid_.y, grid_.z, block_.x, block_.y, block_.z, counted_->shared_bytes_, counted_->operations_,
            cmk_host_intensity_(counted_, &summary_), summary_.by_threads_, summary_.by_shared_, summary_.occupancy_);
}

CMK_HOST_HELPER_ void cmk_host_csv_row_(FILE *csv_, const cmk_host_row_ *row_, int access_)
{
    const cmk_host_spot_ *spot_ = row_->spot_;
    const int pad_ = cmk_host_count_pad_(spot_);
    char source_[256];
    cmk_host_source_line_(source_, sizeof source_, spot_->file_, CMK_HOST_LINE_OF_(spot_->line_));
    fputs("access,", csv_);
    cmk_host_csv_text_(csv_, spot_->kernel_);
    cmk_host_csv_text_(csv_, spot_->file_);
    fprintf(csv_, "%d,%d,%s,", CMK_HOST_LINE_OF_(spot_->line_), access_, cmk_host_kind_name_(spot_->kind_));
    cmk_host_csv_text_(csv_, spot_->tile_ ? spot_->tile_ : "");
    if (spot_->kind_ != cmk_host_constant_load_) fprintf(csv_, "%u", spot_->bytes_);
    fprintf(csv_, ",%llu,%llu,%llu,%llu,%llu,%llu,%llu,%.1f,", row_->requests_, row_->wavefronts_, row_->groups_,
            row_->wavefronts_ - row_->groups_, row_->sectors_, (row_->used_ + 31) / 32, row_->replays_,
            cmk_host_row_efficiency_(row_));
    if (pad_ >= 0)
        fprintf(csv_, "%s%d,", spot_->declared_ ? "" : "+", pad_);
    else
        fputs(pad_ == cmk_host_pad_swizzle_ ? "swizzle," : pad_ == cmk_host_pad_order_ ? "order," : ",", csv_);
    cmk_host_csv_text_(csv_, source_);
    fprintf(csv_, "%llu,%llu,,,,,,,,,\n", row_->sectors_ * 32, row_->used_);
}

/* Every access by itself, with its number among those of its line. */
CMK_HOST_HELPER_ void cmk_host_csv_rows_(FILE *csv_, const char *kernel_)
{
    size_t count_;
    cmk_host_row_ *rows_ = cmk_host_rows_(kernel_, 0, &count_);
    int access_ = 0;
    for (size_t k_ = 0; k_ < count_; k_++) {
        access_ = k_ > 0 && cmk_host_row_same_line_(rows_[k_].spot_, rows_[k_ - 1].spot_) ? access_ + 1 : 1;
        cmk_host_csv_row_(csv_, &rows_[k_], access_);
    }
    free(rows_);
}

CMK_HOST_HELPER_ int cmk_host_written_(FILE *file_)
{
    return !file_ || (fflush(file_) == 0 && !ferror(file_));
}

CMK_HOST_ONE_ int cmk_host_count_report_(FILE *text_, FILE *csv_)
{
    if (csv_) cmk_host_csv_head_(csv_);
    if (text_ && !cmk_host_counted_first_) fputs("cmk: no kernel that counts has run\n", text_);
    for (const cmk_host_counted_ *counted_ = cmk_host_counted_first_; counted_; counted_ = counted_->later_) {
        if (text_) {
            cmk_host_text_kernel_(text_, counted_);
            cmk_host_text_rows_(text_, counted_->kernel_);
            if (counted_->later_) fputc('\n', text_);
        }
        if (csv_) {
            cmk_host_csv_kernel_(csv_, counted_);
            cmk_host_csv_rows_(csv_, counted_->kernel_);
        }
    }
    return cmk_host_written_(text_) & cmk_host_written_(csv_);
}

/* ---- The report at the end of a program whose environment asks for it */
CMK_HOST_ONE_ FILE *cmk_host_count_file_;

CMK_HOST_ONE_ void cmk_host_count_exit_(void)
{
    fflush(NULL);
    int written_ = cmk_host_count_report_(stderr, cmk_host_count_file_);
    if ((fclose(cmk_host_count_file_) == 0) & written_) return;
    fputs("cmk: CMK_COUNT_REPORT: the report could not be written\n", stderr);
    _exit(EXIT_FAILURE);
}

/* Opens the table at once, so that a wrong name is told of before the work. */
CMK_HOST_ONE_ void cmk_host_count_watch_(void)
{
    const char *name_ = getenv("CMK_COUNT_REPORT");
    if (!name_ || cmk_host_count_file_) return;
    cmk_host_count_file_ = fopen(name_, "w");
    if (!cmk_host_count_file_) cmk_host_refuse_("CMK_COUNT_REPORT", name_, "a file that can be written");
    atexit(cmk_host_count_exit_);
}

#if CMK_HOST_COUNTS_
__attribute__((constructor)) static inline void cmk_host_count_start_(void)
{
    cmk_host_count_watch_();
}
#endif

CMK_HOST_C_END_

#endif
