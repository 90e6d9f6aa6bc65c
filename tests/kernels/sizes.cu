/* sizes.cu: the arrays of a thread hold what every definition of images and volumes needs of them: they have one size
 * for all, and what does not fit would be an access out of bounds that no compiler tells of. */
#include <cmk/cmk.h>
#include "tap.h"

static int greater(int a, int b)
{
    return a > b ? a : b;
}

/* ---- Images: the most elements that any definition has in each array */
typedef struct {
    int sums, window, columns, lanes, step, bytes, shared, pieces, piece_outputs;
} image_most;

static void see_image(image_most *most, cmk_filter_words_ filter)
{
    const cmk_image_sizes_ k = cmk_image_sizes_of_(cmk_filter_of_(filter));
    const int windows = k.direct ? k.window : k.step * (k.rolled ? cmk_image_until_(k, k.lanes) : k.window);
    most->sums = greater(most->sums, (k.direct ? cmk_image_direct_height_ : k.pending) * k.lanes);
    most->window = greater(most->window, windows);
    most->columns = greater(most->columns, k.direct ? k.window : 0);
    most->lanes = greater(most->lanes, k.lanes);
    most->step = greater(most->step, k.direct ? 0 : k.step);
    most->bytes = greater(most->bytes, k.lanes * k.f.out_size);
    most->shared = greater(most->shared, k.shared_bytes);
    most->pieces = greater(most->pieces, k.has_unaligned ? (cmk_image_needed_(k) + 31) / 32 : 0);
    most->piece_outputs = greater(most->piece_outputs, k.has_unaligned ? k.step * k.lanes : 0);
}

/* of all types: the anchor's column counts only by its place in a chunk, of at most 8 elements */
static void see_types(image_most *most, cmk_filter_words_ filter, int table_size)
{
    const int columns = filter.columns, first = filter.separable ? columns / 2 : 0;
    const int end = filter.separable ? first + 1 : columns < 8 ? columns : 8;
    for (int types = 0; types < 4 * 2 * 4 * 4; ++types)
        for (int column = first; column < end; ++column) {
            filter.in_size = 1 << types % 4;
            filter.sum_size = types / 4 % 2 ? 8 : 4;
            filter.out_size = 1 << types / 8 % 4;
            filter.channels = types / 32 + 1;
            filter.column = column;
            filter.table_bytes = filter.separable ? 0 : table_size * filter.rows * columns;
            see_image(most, filter);
        }
}

static image_most most_of_images(void)
{
    image_most most = CMK_ZEROS_(image_most);
    cmk_filter_words_ filter = CMK_ZEROS_(cmk_filter_words_);
    for (int rows = 1; rows <= 33; ++rows)
        for (int columns = 1; columns <= 33; ++columns)
            for (int table_size = 0; table_size <= 8; table_size += 4) {
                filter.rows = rows;
                filter.columns = columns;
                filter.row = rows / 2;
                see_types(&most, filter, table_size);
            }
    filter.separable = 1;
    for (int radius = 1; radius <= 32; ++radius) {
        filter.rows = filter.columns = 2 * radius + 1;
        filter.row = radius;
        see_types(&most, filter, 0);
    }
    return most;
}

static void check_images(void)
{
    const image_most most = most_of_images();
    const int outputs = (int)sizeof(cmk_image_outputs_), window = cmk_image_window_most_;
    tap_check(most.sums == cmk_image_sums_most_, "images: %d sums of a thread", most.sums);
    tap_check(most.window == window, "images: windows of %d elements", most.window);
    tap_check(most.columns <= cmk_conv2d_direct_window_, "images: a window of %d of the direct way", most.columns);
    tap_check(most.lanes <= 8, "images: %d elements of a lane", most.lanes);
    tap_check(most.step <= cmk_conv2d_rolled_step_, "images: %d rows of a step", most.step);
    tap_check(most.bytes <= outputs, "images: %d bytes of outputs", most.bytes);
    tap_check(most.shared <= 49152, "images: %d bytes of shared memory", most.shared);
    tap_check(most.pieces == cmk_image_pieces_most_, "images: %d pieces of a row", most.pieces);
    tap_check(most.piece_outputs == cmk_image_piece_outputs_most_, "images: %d outputs of a step in pieces",
              most.piece_outputs);
}

/* ---- Small filters of bytes */
typedef struct {
    int pending, values, words, ahead, products, rows, taps, tiles, quads, pairs, wrong;
} bytes_most;

static void see_bytes(bytes_most *most, cmk_bytes_sizes_ k)
{
    if (!k.on) return;
    most->words = greater(most->words, k.words);
    most->ahead = greater(most->ahead, k.ring ? 0 : k.ahead);
    most->tiles = greater(most->tiles, k.bands ? k.tiles * k.f.channels : 0);
    most->quads = greater(most->quads, k.quads);
    most->pairs = greater(most->pairs, k.bands ? 2 * k.spans + k.older : k.pending);
    const int period = k.bands ? 16 * k.quads : k.step * (k.ring ? k.pending : k.ahead);
    most->wrong += k.blocks < 1 || k.turn % period != 0 || (k.ring && k.turn % 8 != 0);
    if (k.bands) return;
    most->pending = greater(most->pending, k.pending);
    most->values = greater(most->values, k.values);
    most->products = greater(most->products, k.parts * k.f.channels);
    most->rows = greater(most->rows, (k.pending - 1) * k.step + k.step - k.f.rows);
    most->taps = greater(most->taps, (k.f.rows + 3) * cmk_bytes_taps_pitch_);
    most->wrong += !k.ring && (k.ahead < k.pending || k.ahead % k.pending != 0);
}

/* a filter of bytes to integers, of more products than light ones have */
static cmk_filter_ of_bytes(int rows, int columns, int column, int channels, int out_size, int separable)
{
    cmk_filter_words_ words = CMK_ZEROS_(cmk_filter_words_);
    words.in_size = words.in_kind = words.float_sums = 1;
    words.sum_size = 4;
    words.out_size = out_size;
    words.out_bits = 8 * out_size;
    words.channels = channels;
    words.separable = separable;
    words.rows = rows;
    words.columns = columns;
    words.row = rows / 2;
    words.column = column;
    cmk_filter_ f = cmk_filter_of_(words);
    f.products = 1000;
    return f;
}

static void check_bytes(void)
{
    bytes_most most = CMK_ZEROS_(bytes_most);
    for (int rows = 1; rows <= 33; ++rows)
        for (int columns = 1; columns <= 33; ++columns)
            for (int n = 0; n < columns * 4; ++n) {
                see_bytes(&most, cmk_bytes_sizes_of_(of_bytes(rows, columns, n / 4, n % 4 + 1, 1, 0)));
            }
    for (int n = 4; n <= 32 * 4 + 3; ++n) {
        const int radius = n / 4, taps = 2 * radius + 1;
        see_bytes(&most, cmk_bands_sizes_of_(of_bytes(taps, taps, radius, n % 4 + 1, n % 2 + 1, 1)));
    }
    tap_check(most.wrong == 0, "bytes: whole turns of steps, and room for a block");
    tap_check(most.pending == cmk_bytes_pending_most_, "bytes: %d steps of sums", most.pending);
    tap_check(most.values == cmk_bytes_values_most_, "bytes: %d outputs of a step", most.values);
    tap_check(most.words == cmk_bytes_words_most_, "bytes: %d words of a step", most.words);
    tap_check(most.ahead == cmk_bytes_ahead_most_, "bytes: %d steps ahead", most.ahead);
    tap_check(most.tiles == cmk_bands_tiles_most_, "bytes: %d tiles of bands", most.tiles);
    tap_check(most.quads == cmk_bands_quads_most_, "bytes: %d pairs of their rows", most.quads);
    tap_check(most.pairs == cmk_bytes_pairs_most_, "bytes: %d pairs of taps", most.pairs);
    tap_check(most.products <= 4, "bytes: %d products of a step", most.products);
    tap_check(most.rows <= 2, "bytes: %d rows of zeros behind the taps", most.rows);
    tap_check(most.taps == cmk_bytes_taps_most_, "bytes: %d taps with zeros around", most.taps);
}

/* ---- Separable filters of floats on tensor cores */
static void check_sweep(void)
{
    int pending = 0, bytes = 0, wrong = 0;
    for (int radius = 1; radius <= 32; ++radius)
        for (int size = 1; size <= 4; size *= 2) {
            cmk_filter_ f = CMK_ZEROS_(cmk_filter_);
            f.in_size = size;
            f.column = radius;
            f.rows = 2 * radius + 1;
            const cmk_sweep_sizes_ k = cmk_sweep_sizes_of_(f);
            pending = greater(pending, k.pending);
            bytes = greater(bytes, k.shared_bytes);
            wrong += k.warps % 2 != 0 || k.pending < 3 || k.lead % 4 != 0 || k.items > 32;
        }
    tap_check(wrong == 0, "sweep: pairs of warps, outputs under way, whole chunks, a bit for each item");
    tap_check(pending == cmk_sweep_pending_most_, "sweep: %d tiles of outputs of a step", pending);
    tap_check(bytes <= 99 * 1024, "sweep: %d bytes of shared memory", bytes);
}

/* ---- Volumes */
typedef struct {
    int sums, windows, columns, rows, halo, bytes;
} volume_most;

static void see_volume(volume_most *most, cmk_volume_definition_ definition)
{
    const cmk_volume_filter_ f = cmk_volume_filter_of_(definition);
    const int halo = f.tile_rows * 2 * f.reach, threads = cmk_volume_threads_;
    most->sums = greater(most->sums, f.planes * f.each * f.lanes);
    most->windows = greater(most->windows, f.separable ? f.window : (f.rows + f.each - 1) * f.window);
    most->columns = greater(most->columns, f.separable ? f.each * f.lanes : 0);
    most->rows = greater(most->rows, (f.tile_rows + cmk_volume_warps_ - 1) / cmk_volume_warps_);
    most->halo = greater(most->halo, (halo + threads - 1) / threads);
    most->bytes = greater(most->bytes, (int)f.bytes);
}

static void check_volumes(void)
{
    volume_most most = CMK_ZEROS_(volume_most);
    for (int size = 4; size <= 8; size += 4) {
        for (int n = 0; n < 7 * 7 * 7; ++n) {
            const cmk_volume_definition_ box = {size, n % 7 + 1, n / 7 % 7 + 1, n / 49 + 1, 0, 0, CMK_EDGE_ZERO};
            see_volume(&most, box);
        }
        for (int side = 3; side <= 17; side += 2) {
            const cmk_volume_definition_ lines = {size, side, side, side, 1, 0, CMK_EDGE_ZERO};
            see_volume(&most, lines);
        }
    }
    tap_check(most.sums <= cmk_volume_sums_most_, "volumes: %d sums of a thread", most.sums);
    tap_check(most.windows <= cmk_volume_windows_most_, "volumes: windows of %d elements", most.windows);
    tap_check(most.columns <= cmk_volume_columns_most_, "volumes: %d sums down the columns", most.columns);
    tap_check(most.rows <= cmk_volume_rows_most_, "volumes: %d rows of a thread in a tile", most.rows);
    tap_check(most.halo <= cmk_volume_halo_most_, "volumes: %d elements of a halo", most.halo);
    tap_check(most.bytes <= 95000, "volumes: %d bytes of shared memory", most.bytes);
}

int main(void)
{
    check_images();
    check_bytes();
    check_sweep();
    check_volumes();
    return tap_done();
}
