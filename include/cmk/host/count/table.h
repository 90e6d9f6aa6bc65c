/* host/count/table.h: the counts by kernel and by place as totals, as text and as CSV. */
#include "../../base.h"
#ifndef CMK_HOST_COUNT_TABLE_H
#define CMK_HOST_COUNT_TABLE_H

CMK_HOST_C_BEGIN_

/* ---- Totals */
CMK_HOST_HELPER_ long long cmk_host_count_of_(const cmk_host_spot_ *spot, int counter)
{
    const unsigned long long conflicts = spot->wavefronts_ - spot->groups_;
    const unsigned long long shared[] = {spot->requests_, spot->wavefronts_, conflicts};
    const unsigned long long global[] = {spot->requests_, spot->sectors_, spot->used_};
    int kind = counter < 12 ? counter / 3 : cmk_host_constant_load_;
    if (spot->kind_ != kind) return 0;
    if (kind == cmk_host_constant_load_) return (long long)(counter == 12 ? spot->requests_ : spot->replays_);
    return (long long)(kind <= cmk_host_shared_store_ ? shared : global)[counter % 3];
}

CMK_HOST_CALLED_ long long cmk_host_count_total_(const char *kernel, int counter)
{
    const cmk_host_counted_ *counted = cmk_host_counted_of_(kernel);
    long long total = 0;
    if (!counted || counter < 0 || counter > 14) return -1;
    if (counter == 14) return (long long)counted->operations_;
    for (const cmk_host_spot_ *spot = cmk_host_spot_first_; spot; spot = spot->later_) {
        if (strcmp(spot->kernel_, kernel) == 0) total += cmk_host_count_of_(spot, counter);
    }
    return total;
}

CMK_HOST_HELPER_ const char *cmk_host_kind_name_(int kind)
{
    static const char *const names[] = {
        "shared load",
        "shared store",
        "global load",
        "global store",
        "constant load",
        "atomic shared",
        "atomic global",
#if CMK_HOST_TRACE_
        "texture load",
        "shuffle"
#endif
    };
    return names[kind];
}

/* Complains of each access that has conflicts or moves more bytes than it uses; and of a kernel that has not run. */
CMK_HOST_CALLED_ int cmk_host_count_clean_(const char *kernel)
{
    int clean = 1;
    if (!cmk_host_counted_of_(kernel)) {
        fprintf(stderr, "cmk: kernel %s: nothing is counted, or it has not run\n", kernel);
        return 0;
    }
    for (const cmk_host_spot_ *spot = cmk_host_spot_first_; spot; spot = spot->later_) {
        unsigned long long moved = spot->sectors_ * 32, conflicts = spot->wavefronts_ - spot->groups_;
        if (strcmp(spot->kernel_, kernel) != 0 || (conflicts == 0 && moved <= spot->used_)) continue;
        clean = 0;
        fprintf(stderr, "cmk: kernel %s: %s:%d: %s: ", kernel, spot->file_, CMK_HOST_LINE_OF_(spot->line_),
                cmk_host_kind_name_(spot->kind_));
        if (conflicts > 0)
            fprintf(stderr, "%llu bank conflicts in %llu requests\n", conflicts, spot->requests_);
        else
            fprintf(stderr, "uses %llu of %llu bytes\n", spot->used_, moved);
    }
    return clean;
}

/* ---- The report: text for people, CSV for programs */

/* Why no pad removes a conflict. */
enum {
    cmk_host_pad_swizzle_ = -1, /* none up to 128 bytes helps */
    cmk_host_pad_order_ = -2,   /* nor could it: all lanes are in one row */
    cmk_host_pad_none_ = -3     /* no conflict, or no tile */
};

/* Accesses of one kind and width on one line, or one of them. */
typedef struct cmk_host_row_ {
    const cmk_host_spot_ *spot_; /* of them, the one with the most conflicts */
    unsigned long long requests_, lanes_, wavefronts_, groups_, sectors_, used_, replays_;
} cmk_host_row_;

/* What a kernel moves, and how many blocks of it an SM holds. */
typedef struct cmk_host_summary_ {
    unsigned long long moved_, used_;
    unsigned places_; /* where accesses were counted */
    unsigned by_threads_, by_shared_;
    double occupancy_; /* percent */
} cmk_host_summary_;

/* The conflicts of the costliest request if the rows of its tile were `pitch` bytes apart; -1 where its words would not
 * be aligned. */
CMK_HOST_HELPER_ int cmk_host_count_at_pitch_(const cmk_host_spot_ *spot, size_t pitch)
{
    cmk_host_request_ moved = spot->sample_;
    unsigned long long groups = 0;
    if (pitch % spot->bytes_ != 0) return -1;
    for (unsigned lane = 0; lane < 32; lane++) {
        uint64_t at = moved.lanes_.address_[lane] - moved.start_;
        moved.lanes_.address_[lane] = moved.start_ + at / spot->pitch_ * pitch + at % spot->pitch_;
    }
    unsigned wavefronts =
        cmk_host_count_wavefronts_(&moved.lanes_, spot->bytes_, spot->kind_ == cmk_host_shared_load_, &groups);
    return (int)(wavefronts - (unsigned)groups);
}

CMK_HOST_HELPER_ int cmk_host_count_same_tile_(const cmk_host_spot_ *one, const cmk_host_spot_ *other)
{
    return other->tile_ && one->pitch_ == other->pitch_ && one->sample_.start_ == other->sample_.start_ &&
           strcmp(one->kernel_, other->kernel_) == 0;
}

/* Whether no other access of the tile loses by this pitch. */
CMK_HOST_HELPER_ int cmk_host_count_suits_(const cmk_host_spot_ *spot, size_t pitch)
{
    for (const cmk_host_spot_ *other = cmk_host_spot_first_; other; other = other->later_) {
        if (other == spot || !cmk_host_count_same_tile_(spot, other)) continue;
        int conflicts = cmk_host_count_at_pitch_(other, pitch);
        if (conflicts < 0 || conflicts > cmk_host_count_at_pitch_(other, other->pitch_)) return 0;
    }
    return 1;
}

CMK_HOST_HELPER_ int cmk_host_count_one_row_(const cmk_host_spot_ *spot)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        uint64_t row = (spot->sample_.lanes_.address_[lane] - spot->sample_.start_) / spot->pitch_;
        if (!(spot->sample_.lanes_.mask_ >> lane & 1)) continue;
        low = row < low ? row : low;
        high = row > high ? row : high;
    }
    return low == high;
}

/* The smallest pad that removes the conflict of an access to a tile: of the columns where they are known, beyond the
 * present rows where not. */
CMK_HOST_HELPER_ int cmk_host_count_pad_(const cmk_host_spot_ *spot)
{
    if (!spot->tile_ || spot->wavefronts_ == spot->groups_) return cmk_host_pad_none_;
    if (cmk_host_count_one_row_(spot)) return cmk_host_pad_order_;
    for (size_t pad = 0; pad * spot->element_ <= 128; pad++) {
        size_t pitch = spot->columns_ + pad * spot->element_;
        if (cmk_host_count_at_pitch_(spot, pitch) == 0 && cmk_host_count_suits_(spot, pitch)) return (int)pad;
    }
    return cmk_host_pad_swizzle_;
}

CMK_HOST_HELPER_ void cmk_host_count_remedy_(char *text, size_t bytes, const cmk_host_spot_ *spot)
{
    int pad = cmk_host_count_pad_(spot);
    if (pad >= 0)
        snprintf(text, bytes, spot->declared_ ? "PAD %d of %s" : "PAD + %d of %s", pad, spot->tile_);
    else
        snprintf(text, bytes, "%s",
                 pad == cmk_host_pad_swizzle_ ? "a swizzle"
                 : pad == cmk_host_pad_order_ ? "another order"
                                              : "-");
}

CMK_HOST_HELPER_ double cmk_host_percent_(unsigned long long part, unsigned long long whole)
{
    return part >= whole ? 100.0 : 100.0 * (double)part / (double)whole;
}

CMK_HOST_HELPER_ double cmk_host_row_efficiency_(const cmk_host_row_ *row)
{
    if (row->spot_->kind_ <= cmk_host_shared_store_) return cmk_host_percent_(row->groups_, row->wavefronts_);
    if (row->spot_->kind_ <= cmk_host_global_store_) return cmk_host_percent_(row->used_, row->sectors_ * 32);
    return cmk_host_percent_(row->requests_, row->requests_ + row->replays_);
}

/* By file, line, kind, width, number on the line. */
CMK_HOST_HELPER_ int cmk_host_row_compare_(const void *left, const void *right)
{
    const cmk_host_spot_ *one = ((const cmk_host_row_ *)left)->spot_;
    const cmk_host_spot_ *two = ((const cmk_host_row_ *)right)->spot_;
    int difference = strcmp(one->file_, two->file_);
    if (difference == 0) difference = CMK_HOST_LINE_OF_(one->line_) - CMK_HOST_LINE_OF_(two->line_);
    if (difference == 0) difference = one->kind_ - two->kind_;
    if (difference == 0) difference = (int)one->bytes_ - (int)two->bytes_;
    return difference != 0 ? difference : one->line_ - two->line_;
}

CMK_HOST_HELPER_ int cmk_host_row_same_line_(const cmk_host_spot_ *one, const cmk_host_spot_ *two)
{
    return CMK_HOST_LINE_OF_(one->line_) == CMK_HOST_LINE_OF_(two->line_) && strcmp(one->file_, two->file_) == 0;
}

CMK_HOST_HELPER_ void cmk_host_row_add_(cmk_host_row_ *sum, const cmk_host_row_ *row)
{
    const cmk_host_spot_ *one = sum->spot_, *two = row->spot_;
    sum->requests_ += row->requests_;
    sum->lanes_ += row->lanes_;
    sum->wavefronts_ += row->wavefronts_;
    sum->groups_ += row->groups_;
    sum->sectors_ += row->sectors_;
    sum->used_ += row->used_;
    sum->replays_ += row->replays_;
    if (two->wavefronts_ - two->groups_ > one->wavefronts_ - one->groups_) sum->spot_ = two;
}

/* The accesses of a kernel in order, to be freed; those of one kind, width and line as one where sums is true. */
CMK_HOST_HELPER_ cmk_host_row_ *cmk_host_rows_(const char *kernel, int sums, size_t *count)
{
    size_t all = 0, kept = 0;
    for (const cmk_host_spot_ *spot = cmk_host_spot_first_; spot; spot = spot->later_)
        all += strcmp(spot->kernel_, kernel) == 0;
    cmk_host_row_ *rows = (cmk_host_row_ *)cmk_host_need_(calloc(all + 1, sizeof *rows), "the report"), *row = rows;
    for (const cmk_host_spot_ *spot = cmk_host_spot_first_; spot; spot = spot->later_) {
        if (strcmp(spot->kernel_, kernel) != 0) continue;
        const cmk_host_row_ one = {spot,          spot->requests_, spot->lanes_made_, spot->wavefronts_,
                                   spot->groups_, spot->sectors_,  spot->used_,       spot->replays_};
        *row++ = one;
    }
    qsort(rows, all, sizeof *rows, cmk_host_row_compare_);
    for (size_t k = 0; k < all; k++) {
        const cmk_host_spot_ *one = kept > 0 ? rows[kept - 1].spot_ : NULL, *two = rows[k].spot_;
        if (sums && one && cmk_host_row_same_line_(one, two) && one->kind_ == two->kind_ && one->bytes_ == two->bytes_)
            cmk_host_row_add_(&rows[kept - 1], &rows[k]);
        else
            rows[kept++] = rows[k];
    }
    *count = kept;
    return rows;
}

CMK_HOST_HELPER_ cmk_host_summary_ cmk_host_summary_of_(const cmk_host_counted_ *counted)
{
    cmk_host_summary_ summary = {0, 0, 0, 0, 0, 0.0};
    for (const cmk_host_spot_ *spot = cmk_host_spot_first_; spot; spot = spot->later_) {
        if (strcmp(spot->kernel_, counted->kernel_) != 0) continue;
        summary.places_++;
        summary.moved_ += 32 * spot->sectors_;
        summary.used_ += spot->used_;
    }
    const cmk_host_resident_ resident = cmk_host_resident_of_(counted->block_, counted->shared_bytes_);
    summary.by_threads_ = resident.by_threads_;
    summary.by_shared_ = resident.by_shared_;
    summary.occupancy_ = 100.0 * resident.blocks_ * resident.threads_ / CMK_HOST_SM_THREADS_;
    return summary;
}

CMK_HOST_HELPER_ double cmk_host_intensity_(const cmk_host_counted_ *counted, const cmk_host_summary_ *summary)
{
    return summary->moved_ == 0 ? 0.0 : (double)counted->operations_ / (double)summary->moved_;
}

/* A line of a source file without the blanks around it and a backslash at its end; empty where there is none. */
CMK_HOST_HELPER_ void cmk_host_source_line_(char *text, size_t bytes, const char *file, int line)
{
    FILE *source = fopen(file, "r");
    size_t count = 0;
    int c = 0;
    while (source && line > 0 && (c = fgetc(source)) != EOF) {
        int blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        if (line == 1 && count + 1 < bytes && !(blank && count == 0)) text[count++] = (char)(blank ? ' ' : c);
        line -= c == '\n';
    }
    while (count > 0 && (text[count - 1] == ' ' || text[count - 1] == '\\')) count--;
    text[count] = 0;
    if (source) fclose(source);
}

/* Prints the name of a kernel, which may be the symbol of a function of C++ that is in no namespace. */
CMK_HOST_HELPER_ void cmk_host_print_kernel_(FILE *out, const char *name)
{
    char *end;
    const unsigned long length = strncmp(name, "_Z", 2) == 0 ? strtoul(name + 2, &end, 10) : 0;
    if (length > 0 && length <= strlen(end))
        fprintf(out, "%.*s", (int)length, end);
    else
        fputs(name, out);
}

#if CMK_HOST_CACHES_

CMK_HOST_HELPER_ void cmk_host_text_traffic_(FILE *text, const cmk_host_traffic_ *traffic)
{
    const double megabytes = 32 / 1e6; /* of a sector */
    fprintf(
        text,
        "  caches of an H200: L1 hits %.0f %% of the sectors of loads; %.3g MB from L2, %.3g MB to L2; %.3g MB from "
        "DRAM, %.3g MB to DRAM\n",
        cmk_host_percent_(traffic->l1_hits_, traffic->l1_hits_ + traffic->l2_read_),
        (double)traffic->l2_read_ * megabytes, (double)traffic->l2_written_ * megabytes,
        (double)traffic->dram_read_ * megabytes, (double)traffic->dram_written_ * megabytes);
}

#endif

CMK_HOST_HELPER_ void cmk_host_text_kernel_(FILE *text, const cmk_host_counted_ *counted)
{
    const cmk_host_summary_ summary = cmk_host_summary_of_(counted);
    fputs("kernel ", text);
    cmk_host_print_kernel_(text, counted->kernel_);
    fprintf(text, ": %llu launch%s, grid %u x %u x %u, block %u x %u x %u, %zu bytes of shared memory a block\n",
            counted->launches_, counted->launches_ == 1 ? "" : "es", counted->grid_.x, counted->grid_.y,
            counted->grid_.z, counted->block_.x, counted->block_.y, counted->block_.z, counted->shared_bytes_);
    if (summary.places_ == 0)
        fputs(CMK_HOST_TRACE_ ? "  no access was counted\n"
                              : "  no access was counted: those by CMK_LOAD, CMK_STORE, tiles and tables are, plain "
                                "ones are not\n",
              text);
    else
        fprintf(text, "  %llu bytes between L1 and L2, %llu used (%.1f %%)", summary.moved_, summary.used_,
                cmk_host_percent_(summary.used_, summary.moved_));
    if (counted->operations_ > 0)
        fprintf(text, "; %llu operations, %.3f a byte", counted->operations_, cmk_host_intensity_(counted, &summary));
    if (summary.places_ > 0) fputc('\n', text);
    fprintf(text,
            "  blocks on an SM of sm_90: %u by threads, %u by shared memory: %.0f %% of its threads; registers are not "
            "known here\n",
            summary.by_threads_, summary.by_shared_, summary.occupancy_);
#if CMK_HOST_CACHES_
    if (summary.places_ > 0) cmk_host_text_traffic_(text, &counted->traffic_);
#endif
}

/* What an access costs, in what, and the least that it could. */
CMK_HOST_HELPER_ void cmk_host_text_row_(FILE *text, const cmk_host_row_ *row)
{
    static const char *const units[] = {"wavefronts", "sectors", "replays", "requests"};
    const int kind = row->spot_->kind_;
    const int group = kind < cmk_host_constant_load_ ? kind / 2 : 2 + (kind > cmk_host_global_atomic_);
    const unsigned long long counts[] = {row->wavefronts_, row->sectors_, row->replays_, row->requests_};
    const unsigned long long ideals[] = {row->groups_, (row->used_ + 31) / 32, 0, row->requests_};
    char remedy[64];
    cmk_host_count_remedy_(remedy, sizeof remedy, row->spot_);
    char bytes[16] = "-"; /* of a constant the index is known, not the width */
    if (kind != cmk_host_constant_load_) snprintf(bytes, sizeof bytes, "%u", row->spot_->bytes_);
    fprintf(text, "%7d  %-13s %5s %11llu %5.1f %11llu %-10s %11llu %11llu %8.1f %%  %-16s",
            CMK_HOST_LINE_OF_(row->spot_->line_), cmk_host_kind_name_(kind), bytes, row->requests_,
            (double)row->lanes_ / (double)row->requests_, counts[group], units[group], ideals[group],
            row->wavefronts_ - row->groups_, cmk_host_row_efficiency_(row), remedy);
}

CMK_HOST_HELPER_ void cmk_host_text_rows_(FILE *text, const char *kernel)
{
    size_t count;
    cmk_host_row_ *rows = cmk_host_rows_(kernel, 1, &count);
    char source[104];
    for (size_t k = 0; k < count; k++) {
        const cmk_host_spot_ *spot = rows[k].spot_, *before = k > 0 ? rows[k - 1].spot_ : NULL;
        if (k == 0 || strcmp(spot->file_, before->file_) != 0)
            fprintf(text, "  %s\n%7s  %-13s %5s %11s %5s %22s %11s %11s %10s  %-16s  %s\n", spot->file_, "line",
                    "access", "bytes", "requests", "lanes", "cost          ", "ideal", "conflicts", "efficiency",
                    "remedy", "source");
        cmk_host_text_row_(text, &rows[k]);
        cmk_host_source_line_(source, sizeof source, spot->file_, CMK_HOST_LINE_OF_(spot->line_));
        fprintf(text, "  %s\n", before && cmk_host_row_same_line_(spot, before) ? "\"" : source);
    }
    free(rows);
}

CMK_HOST_HELPER_ void cmk_host_csv_text_(FILE *csv, const char *text)
{
    fputc('"', csv);
    for (; *text; text++) {
        if (*text == '"') fputc('"', csv);
        fputc(*text, csv);
    }
    fputs("\",", csv);
}

CMK_HOST_HELPER_ void cmk_host_csv_name_(FILE *csv, const char *kernel)
{
    fputc('"', csv);
    cmk_host_print_kernel_(csv, kernel);
    fputs("\",", csv);
}

/* The columns of every record: first those of an access, then those of a kernel and of a branch; empty where they are
 * another's. */
CMK_HOST_HELPER_ void cmk_host_csv_head_(FILE *csv)
{
    fputs(
        "record,kernel,file,line,access,kind,tile,bytes_a_lane,requests,wavefronts,ideal_wavefronts,conflicts,sectors,"
        "ideal_sectors,replays,efficiency,pad,source,bytes_moved,bytes_used,launches,grid,block,shared_bytes,"
        "operations,operations_a_byte,blocks_by_threads,blocks_by_shared,occupancy,lanes,most_blocks,warps,parted,"
        "forms,symbol,loop,l1_hits,l2_read_sectors,l2_written_sectors,l2_atomic_sectors,dram_read_sectors,"
        "dram_written_sectors\n",
        csv);
}

CMK_HOST_HELPER_ void cmk_host_csv_traffic_(FILE *csv, const cmk_host_traffic_ *traffic)
{
    if (CMK_HOST_CACHES_)
        fprintf(csv, "%llu,%llu,%llu,%llu,%llu,%llu\n", traffic->l1_hits_, traffic->l2_read_, traffic->l2_written_,
                traffic->l2_atomic_, traffic->dram_read_, traffic->dram_written_);
    else
        fputs(",,,,,\n", csv);
}

CMK_HOST_HELPER_ void cmk_host_csv_kernel_(FILE *csv, const cmk_host_counted_ *counted)
{
    const cmk_host_summary_ summary = cmk_host_summary_of_(counted);
    const uint3 grid = counted->grid_, block = counted->block_;
    fputs("kernel,", csv);
    cmk_host_csv_name_(csv, counted->kernel_);
    fprintf(csv, ",,,,,,,,,,,,,%.1f,,,%llu,%llu,%llu,%ux%ux%u,%ux%ux%u,%zu,%llu,%.3f,%u,%u,%.0f,,%llu,,,,,,",
            cmk_host_percent_(summary.used_, summary.moved_), summary.moved_, summary.used_, counted->launches_, grid.x,
            grid.y, grid.z, block.x, block.y, block.z, counted->shared_bytes_, counted->operations_,
            cmk_host_intensity_(counted, &summary), summary.by_threads_, summary.by_shared_, summary.occupancy_,
            counted->blocks_);
    cmk_host_csv_traffic_(csv, &counted->traffic_);
}

#if CMK_HOST_TRACE_
/* By how many requests and how much cost the forms of an access differ from it, by name; of those that do. Then the
 * kernel's symbol, and the loop around the access. */
CMK_HOST_HELPER_ void cmk_host_csv_forms_(FILE *csv, const cmk_host_spot_ *spot)
{
    static const char *const names[] = {"halves", "pairs", "fours", "once", "turns4", "turns421", "turns1684"};
    for (int form = 0; form < cmk_host_forms_; form++) {
        const cmk_host_form_cost_ *own = &spot->forms_[form];
        if (own->requests_ != 0 || own->cost_ != 0)
            fprintf(csv, "%s %lld %lld;", names[form], own->requests_, own->cost_);
    }
    fprintf(csv, ",%s,", spot->symbol_ ? spot->symbol_ : "");
    if (spot->loop_) fprintf(csv, "%zx", (size_t)(spot->loop_ - cmk_host_trace_bias_()));
}
#endif

CMK_HOST_HELPER_ void cmk_host_csv_row_(FILE *csv, const cmk_host_row_ *row, int access)
{
    const cmk_host_spot_ *spot = row->spot_;
    const int pad = cmk_host_count_pad_(spot);
    char source[256];
    cmk_host_source_line_(source, sizeof source, spot->file_, CMK_HOST_LINE_OF_(spot->line_));
    fputs("access,", csv);
    cmk_host_csv_name_(csv, spot->kernel_);
    cmk_host_csv_text_(csv, spot->file_);
    fprintf(csv, "%d,%d,%s,", CMK_HOST_LINE_OF_(spot->line_), access, cmk_host_kind_name_(spot->kind_));
    cmk_host_csv_text_(csv, spot->tile_ ? spot->tile_ : "");
    if (spot->kind_ != cmk_host_constant_load_) fprintf(csv, "%u", spot->bytes_);
    fprintf(csv, ",%llu,%llu,%llu,%llu,%llu,%llu,%llu,%.1f,", row->requests_, row->wavefronts_, row->groups_,
            row->wavefronts_ - row->groups_, row->sectors_, (row->used_ + 31) / 32, row->replays_,
            cmk_host_row_efficiency_(row));
    if (pad >= 0)
        fprintf(csv, "%s%d,", spot->declared_ ? "" : "+", pad);
    else
        fputs(pad == cmk_host_pad_swizzle_ ? "swizzle," : pad == cmk_host_pad_order_ ? "order," : ",", csv);
    cmk_host_csv_text_(csv, source);
    fprintf(csv, "%llu,%llu,,,,,,,,,,%.2f,,,,", row->sectors_ * 32, row->used_,
            (double)row->lanes_ / (double)row->requests_);
#if CMK_HOST_TRACE_
    cmk_host_csv_forms_(csv, spot);
#else
    fputs(",,", csv);
#endif
    fputs(",,,,,,\n", csv);
}

/* Every access by itself, with its number among those of its line. */
CMK_HOST_HELPER_ void cmk_host_csv_rows_(FILE *csv, const char *kernel)
{
    size_t count;
    cmk_host_row_ *rows = cmk_host_rows_(kernel, 0, &count);
    int access = 0;
    for (size_t k = 0; k < count; k++) {
        access = k > 0 && cmk_host_row_same_line_(rows[k].spot_, rows[k - 1].spot_) ? access + 1 : 1;
        cmk_host_csv_row_(csv, &rows[k], access);
    }
    free(rows);
}

#if CMK_HOST_TRACE_
CMK_HOST_HELPER_ void cmk_host_text_partings_(FILE *text, const char *kernel)
{
    size_t count;
    cmk_host_parting_ *all = cmk_host_partings_(kernel, &count);
    char source[104], lanes[24];
    for (const cmk_host_parting_ *one = all; one < all + count; one++) {
        if (one == all || strcmp(one->file_, one[-1].file_) != 0)
            fprintf(text, "  %s: where warps part\n%7s %11s %11s %12s  %s\n", one->file_, "line", "warps come",
                    "and part", "lanes behind", "source");
        snprintf(lanes, sizeof lanes, one->visits_ ? "%.1f" : "-", cmk_host_parting_lanes_(one));
        cmk_host_source_line_(source, sizeof source, one->file_, one->line_);
        fprintf(text, "%7d %11llu %11llu %12s  %s\n", one->line_, one->warps_, one->parted_, lanes, source);
    }
    free(all);
}

CMK_HOST_HELPER_ void cmk_host_csv_partings_(FILE *csv, const char *kernel)
{
    size_t count;
    cmk_host_parting_ *all = cmk_host_partings_(kernel, &count);
    char source[256];
    for (const cmk_host_parting_ *one = all; one < all + count; one++) {
        cmk_host_source_line_(source, sizeof source, one->file_, one->line_);
        fputs("branch,", csv);
        cmk_host_csv_name_(csv, kernel);
        cmk_host_csv_text_(csv, one->file_);
        fprintf(csv, "%d,,branch,,,,,,,,,,,,", one->line_);
        cmk_host_csv_text_(csv, source);
        fputs(",,,,,,,,,,,", csv);
        if (one->visits_) fprintf(csv, "%.2f", cmk_host_parting_lanes_(one));
        fprintf(csv, ",,%llu,%llu,\n", one->warps_, one->parted_);
    }
    free(all);
}
#endif

CMK_HOST_HELPER_ int cmk_host_written_(FILE *file)
{
    return !file || (fflush(file) == 0 && !ferror(file));
}

CMK_HOST_CALLED_ int cmk_host_count_report_(FILE *text, FILE *csv)
{
#if CMK_HOST_TRACE_
    cmk_host_trace_places_();
    cmk_host_branch_places_();
#endif
    if (csv) cmk_host_csv_head_(csv);
    if (text && !cmk_host_counted_first_) fputs("cmk: no kernel that counts has run\n", text);
    for (const cmk_host_counted_ *counted = cmk_host_counted_first_; counted; counted = counted->later_) {
        if (text) {
            cmk_host_text_kernel_(text, counted);
            cmk_host_text_rows_(text, counted->kernel_);
#if CMK_HOST_TRACE_
            cmk_host_text_partings_(text, counted->kernel_);
#endif
            if (counted->later_) fputc('\n', text);
        }
        if (csv) {
            cmk_host_csv_kernel_(csv, counted);
            cmk_host_csv_rows_(csv, counted->kernel_);
#if CMK_HOST_TRACE_
            cmk_host_csv_partings_(csv, counted->kernel_);
#endif
        }
    }
    return cmk_host_written_(text) & cmk_host_written_(csv);
}

/* ---- The report at the end of a program whose environment asks for it */
CMK_HOST_ONE_ FILE *cmk_host_count_file_;

CMK_HOST_CALLED_ void cmk_host_count_exit_(void)
{
    fflush(NULL);
    int written = cmk_host_count_report_(stderr, cmk_host_count_file_);
    if ((fclose(cmk_host_count_file_) == 0) & written) return;
    fputs("cmk: CMK_COUNT_REPORT: the report could not be written\n", stderr);
    _exit(EXIT_FAILURE);
}

/* Opens the table at once, so that a wrong name is reported before the work. */
CMK_HOST_CALLED_ void cmk_host_count_watch_(void)
{
    const char *name = getenv("CMK_COUNT_REPORT");
    if (!name || cmk_host_count_file_) return;
    cmk_host_count_file_ = fopen(name, "w");
    if (!cmk_host_count_file_) cmk_host_refuse_("CMK_COUNT_REPORT", name, "a file that can be written");
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
