/* The taps of filter.h, lists and functions, against closed forms; the derivatives by the polynomials they are exact
 * for. */
#include <math.h>
#include <cmk/cmk.h>
#include "tap.h"

#define EPSILON 2.2204460492503131e-16
#define MOST 32 /* radius */
#define SIGMA_OF(radius) ((radius) / 2.5)

/* largest |a - b| / |b|; NaN counts */
static double apart(const double *a, const double *b, int count)
{
    double most = 0.0;
    for (int k = 0; k < count; ++k) {
        const double error = fabs(a[k] - b[k]) / (fabs(b[k]) > 0.0 ? fabs(b[k]) : 1.0);
        if (!(error <= most)) most = error;
    }
    return most;
}

static void gauss_by_exp(double *taps, int radius, double sigma)
{
    double sum = 0.0;
    for (int k = -radius; k <= radius; ++k) sum += exp(-k * k / (2.0 * sigma * sigma));
    for (int k = -radius; k <= radius; ++k) taps[radius + k] = exp(-k * k / (2.0 * sigma * sigma)) / sum;
}

/* row 2 radius of Pascal's triangle, by sums; exact */
static void binomial_by_sums(double *taps, int radius)
{
    for (int k = 0; k <= 2 * radius; ++k) taps[k] = k == 0;
    for (int row = 0; row < 2 * radius; ++row)
        for (int k = 2 * radius; k >= 0; --k) taps[k] = (taps[k] + (k > 0 ? taps[k - 1] : 0.0)) / 2;
}

#define GAUSS(R) static const double gauss_##R[2 * R + 1] = {CMK_FILTER_GAUSS(R, SIGMA_OF(R))};
#define SMOOTHING(R)                                                                                                   \
    GAUSS(R)                                                                                                           \
    static const double box_##R[2 * R + 1] = {CMK_FILTER_BOX(R)};                                                      \
    static const float binomial_##R[2 * R + 1] = {CMK_FILTER_BINOMIAL(R)};
SMOOTHING(1)
SMOOTHING(2)
SMOOTHING(3)
SMOOTHING(4)
SMOOTHING(5)
SMOOTHING(6)
SMOOTHING(7)
SMOOTHING(8)
GAUSS(9)
GAUSS(16)
static const double *const gausses[] = {gauss_1, gauss_2, gauss_3, gauss_4, gauss_5,
                                        gauss_6, gauss_7, gauss_8, gauss_9, gauss_16};
static const double *const boxes[] = {box_1, box_2, box_3, box_4, box_5, box_6, box_7, box_8};
static const float *const binomials[] = {binomial_1, binomial_2, binomial_3, binomial_4,
                                         binomial_5, binomial_6, binomial_7, binomial_8};

/* the relative error of k^2 / (2 sigma^2) becomes an absolute one in the exponent, of up to 32 here */
static void smoothing(void)
{
    double wanted[2 * MOST + 1], made[2 * MOST + 1], gauss = 0.0, box = 0.0, binomial = 0.0, function = 0.0;
    for (int n = 1; n <= 10; ++n) {
        const int r = n < 10 ? n : 16;
        gauss_by_exp(wanted, r, SIGMA_OF(r));
        gauss = fmax(gauss, apart(gausses[n - 1], wanted, 2 * r + 1));
    }
    for (int r = 1; r <= 8; ++r) {
        const int count = 2 * r + 1;
        float sum = 0.0f;
        for (int k = 0; k < count; ++k) box = fmax(box, fabs(boxes[r - 1][k] * count - 1.0));
        binomial_by_sums(wanted, r);
        for (int k = 0; k < count; ++k) binomial += fabs(binomials[r - 1][k] - wanted[k]);
        for (int k = 0; k < count; ++k) sum += binomials[r - 1][k];
        binomial += fabs(sum - 1.0f);
    }
    tap_check(gauss <= 2e-15, "CMK_FILTER_GAUSS: relative error %.1e, at most 2e-15", gauss);
    tap_check(box <= EPSILON, "CMK_FILTER_BOX: relative error %.1e", box);
    tap_check(binomial == 0.0, "CMK_FILTER_BINOMIAL is exact in float, its sum 1");
    for (int r = 0; r <= MOST; ++r) {
        const int count = 2 * r + 1;
        const double sigma = r == 0 ? 0.7 : r / 4.0;
        gauss_by_exp(wanted, r, sigma);
        cmk_filter_gauss(made, r, sigma);
        function = fmax(function, apart(made, wanted, count) / (count * EPSILON + 2e-15));
        for (int k = 0; k < count; ++k) wanted[k] = 1.0 / count;
        cmk_filter_box(made, r);
        function = fmax(function, apart(made, wanted, count) / EPSILON);
        binomial_by_sums(wanted, r);
        cmk_filter_binomial(made, r);
        function = fmax(function, apart(made, wanted, count) / (2 * count * EPSILON));
    }
    tap_check(function <= 1.0, "the functions, radius 0 to %d: largest error %.2f of the tolerance", MOST, function);
    gauss_by_exp(wanted, 8, 0.5);
    cmk_filter_gauss(made, 8, 0.5);
    tap_check(made[8 - 5] > 0.0 && fabs(made[8 - 5] / wanted[8 - 5] - 1.0) <= 1e-14 && made[8 - 6] == 0.0,
              "a Gauss ends where exp(-64) does");
}

/* Thousands of taps against long double, whose own exponent is right to 64 2^-64; the list takes SIGMA at run time here
 */
static double gauss_error(const double *taps, int radius, double sigma)
{
    long double sum = 0.0L;
    double worst = 0.0;
    for (int k = -radius; k <= radius; ++k) sum += expl(-k * k / (2.0L * sigma * sigma));
    for (int k = -radius; k <= radius; ++k) {
        const long double largest = 1.0L / sum, wanted = expl(-k * k / (2.0L * sigma * sigma)) / sum;
        const double error = (double)fabsl(taps[radius + k] / wanted - 1.0L);
        if (!(error <= worst) && !(taps[radius + k] == 0.0 && wanted < 2e-28L * largest)) worst = error;
    }
    return worst;
}

static void far_out(void)
{
    double made[2 * 100 + 1], lists = 0.0, functions = 0.0;
    for (int step = 0; step < 3000; ++step) {
        const double sigma = 0.4412 + 0.00137 * step;
        const double list[17] = {CMK_FILTER_GAUSS(8, sigma)};
        lists = fmax(lists, gauss_error(list, 8, sigma));
        cmk_filter_gauss(made, step % 101, 5 * sigma);
        functions = fmax(functions, gauss_error(made, step % 101, 5 * sigma));
    }
    tap_check(lists <= 2.5e-14 && functions <= 2.5e-14, "a Gauss, 51,000 and 303,000 taps: errors %.1e and %.1e", lists,
              functions);
    cmk_filter_gauss(made, 1, 1e-200);
    tap_check(made[0] == 0.0 && made[1] == 1.0 && made[2] == 0.0, "a Gauss of next to no width");
}

/* A tap of float is that of double, rounded; the arrays around it stay. Columns are 2 of a table, rows 3. */
static void floats(void)
{
    double wide[2 * MOST + 2], table[6];
    float narrow[2 * MOST + 2], small[6], two[2] = {0.1f, 10.0f};
    const double three[3] = {1.0 / 3, 2, 3};
    int wrong = 0;
    for (int n = 0; n < 4 * (MOST + 1); ++n) {
        const int radius = n / 4, count = 2 * radius + 1, nth = 1 + radius % 2;
        for (int k = 0; k <= count; ++k) narrow[k] = -7.0f;
        if (n % 4 == 0) cmk_filter_box(wide, radius), cmk_filter_box(narrow, radius);
        if (n % 4 == 1) cmk_filter_binomial(wide, radius), cmk_filter_binomial(narrow, radius);
        if (n % 4 == 2) cmk_filter_gauss(wide, radius, 0.3 * radius + 0.2);
        if (n % 4 == 2) cmk_filter_gauss(&narrow[0], radius, 0.3 * radius + 0.2);
        if (n % 4 == 3) cmk_filter_derivative(wide, radius, nth, 0.3), cmk_filter_derivative(narrow, radius, nth, 0.3);
        for (int k = 0; k < count; ++k) wrong += narrow[k] != (float)wide[k];
        wrong += narrow[count] != -7.0f;
    }
    cmk_filter_outer(table, three, 3, two, 2);
    cmk_filter_outer(small, three, 3, two, 2);
    for (int k = 0; k < 6; ++k) wrong += table[k] != three[k / 2] * two[k % 2] || small[k] != (float)table[k];
    tap_check(wrong == 0, "arrays of float: each tap is that of double, rounded (%d are not)", wrong);
}

/* binomials that underflow at their ends, by logarithms of factorials, right to 2^-64 of their size, and by their sum
 */
static void large_binomials(void)
{
    static double taps[2 * 20000 + 1];
    double worst = 0.0, sums = 0.0;
    for (int radius = 500; radius <= 20000; radius = radius < 600 ? radius + 1 : 2 * radius) {
        long double sum = 0.0L;
        cmk_filter_binomial(taps, radius);
        for (int k = -radius; k <= radius; ++k) {
            const long double logarithm = lgammal(2.0L * radius + 1.0L) - lgammal((long double)(radius + k) + 1.0L) -
                                          lgammal((long double)(radius - k) + 1.0L) - 2 * radius * logl(2.0L);
            const double error = (double)fabsl(taps[radius + k] / expl(logarithm) - 1.0L);
            sum += taps[radius + k];
            if (logarithm > -700.0L && !(error <= worst * radius * EPSILON)) worst = error / (radius * EPSILON);
        }
        sums = fmax(sums, (double)fabsl(sum - 1.0L) / (radius * EPSILON));
    }
    tap_check(worst <= 4.0 && sums <= 4.0,
              "binomials of radius 500 to 16,000: errors %.2f, of the sum %.2f of radius "
              "x epsilon",
              worst, sums);
}

/* The worst error of the taps on the samples i^degree around 0 and around a shift, in units of the tolerance: taps x
 * epsilon x magnitude. The NTH derivative of x^degree at x. */
static double polynomial_error(const double *taps, int radius, int nth, double step, int degree)
{
    double worst = 0.0;
    for (int shift = -2; shift <= 2; ++shift) {
        const double x = shift * step;
        const double wanted = degree < nth ? 0.0
                              : nth == 1   ? degree * pow(x, degree - 1)
                                           : degree * (degree - 1.0) * pow(x, degree - 2);
        double sum = 0.0, magnitude = fabs(wanted);
        for (int k = -radius; k <= radius; ++k) {
            const double term = taps[radius + k] * pow(x + k * step, degree);
            sum += term, magnitude += fabs(term);
        }
        const double error = fabs(sum - wanted) / ((2 * radius + 1 + degree) * EPSILON * magnitude);
        if (magnitude > 0.0 && !(error <= worst)) worst = error;
    }
    return worst;
}

static void derivative(const double *taps, int radius, int nth, double step, const char *what)
{
    const int exact = 2 * radius + nth - 1;
    double worst = 0.0;
    for (int degree = 0; degree <= exact; ++degree)
        worst = fmax(worst, polynomial_error(taps, radius, nth, step, degree));
    tap_check(worst <= 1.0 && polynomial_error(taps, radius, nth, step, exact + 1) > 1e6,
              "%s, derivative %d, radius %d: exact up to degree %d (%.2f of the tolerance), and no further", what, nth,
              radius, exact, worst);
}

#define STEP 0.25
#define SLOPES(ACCURACY)                                                                                               \
    static const double first_##ACCURACY[ACCURACY + 1] = {CMK_FILTER_DERIVATIVE(1, ACCURACY, STEP)};                   \
    static const double second_##ACCURACY[ACCURACY + 1] = {CMK_FILTER_DERIVATIVE(2, ACCURACY, STEP)};
SLOPES(2)
SLOPES(4)
SLOPES(6)
SLOPES(8)
static const double *const slopes[2][4] = {{first_2, first_4, first_6, first_8},
                                           {second_2, second_4, second_6, second_8}};

static void derivatives(void)
{
    double made[2 * MOST + 1];
    for (int nth = 1; nth <= 2; ++nth)
        for (int r = 1; r <= 6; ++r) {
            if (r <= 4) derivative(slopes[nth - 1][r - 1], r, nth, STEP, "CMK_FILTER_DERIVATIVE");
            cmk_filter_derivative(made, r, nth, STEP);
            derivative(made, r, nth, STEP, "cmk_filter_derivative");
        }
}

static const double across[3][3] = {CMK_FILTER_SOBEL_ACROSS}, down[3][3] = {CMK_FILTER_SOBEL_DOWN};
static const double laplace[3][3] = {CMK_FILTER_LAPLACE}, sharpen[3][3] = {CMK_FILTER_SHARPEN};

/* the sum over taps at x, y = -1, 0, 1 of a polynomial of degree 2 tells all second moments of a filter */
static double moment(const double (*table)[3], int power_y, int power_x)
{
    double sum = 0.0;
    for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) sum += table[y + 1][x + 1] * pow(y, power_y) * pow(x, power_x);
    return sum;
}

static void whole(void)
{
    const double smooth[3] = {CMK_FILTER_SOBEL_SMOOTH}, difference[3] = {CMK_FILTER_SOBEL_DIFFERENCE};
    double product[9], turned[9];
    cmk_filter_outer(product, smooth, 3, difference, 3);
    cmk_filter_outer(turned, difference, 3, smooth, 3);
    tap_check(apart(across[0], product, 9) == 0.0 && apart(down[0], turned, 9) == 0.0, "Sobel: smooth x difference");
    tap_check(moment(across, 0, 0) == 0.0 && moment(across, 0, 1) == 8.0 && moment(across, 1, 0) == 0.0 &&
                  moment(down, 1, 0) == 8.0 && moment(down, 0, 1) == 0.0,
              "Sobel: 8 times the slope, growing to the right and down");
    tap_check(moment(laplace, 0, 0) == 0.0 && moment(laplace, 1, 0) == 0.0 && moment(laplace, 0, 1) == 0.0 &&
                  moment(laplace, 2, 0) == 2.0 && moment(laplace, 0, 2) == 2.0 && moment(laplace, 1, 1) == 0.0,
              "Laplace: of x^2 and y^2 it is 2");
    int wrong = 0;
    for (int k = 0; k < 9; ++k) wrong += sharpen[k / 3][k % 3] != (k == 4) - laplace[k / 3][k % 3];
    tap_check(wrong == 0, "sharpen: the picture less its Laplacian");
    const double oblong[6] = {1, 2, 3, 4, 5, 6}, two[2] = {1, 10}, three[3] = {1, 2, 3};
    cmk_filter_outer(product, two, 2, three, 3);
    wrong = 0;
    for (int k = 0; k < 6; ++k) wrong += product[k] != (k < 3 ? oblong[k] : 10 * (k - 2));
    tap_check(wrong == 0, "an outer product of 2 x 3");
}

CMK_TABLE_VALUES(LITERAL, double, in_literal, [7], CMK_FILTER_GAUSS(3, 1.2));
CMK_TABLE_VALUES(CONSTANT, double, in_constant, [7], CMK_FILTER_GAUSS(3, 1.2));
CMK_TABLE_VALUES(PARAMETER, float, in_parameter, [9], CMK_FILTER_DERIVATIVE(2, 8, STEP));
CMK_TABLE_VALUES(GLOBAL, int, in_global, [3][3], CMK_FILTER_SHARPEN);

__global__ void read_all(double *out, CMK_TABLE_PARAMETER(in_parameter))
{
    double made[9];
    float narrow[9];
    cmk_filter_gauss(made, 3, 1.2);
    cmk_filter_gauss(narrow, 4, 1.2);
    for (int k = 0; k < 7; ++k) {
        CMK_STORE(&out[k], CMK_TABLE_AT(in_literal, k));
        CMK_STORE(&out[9 + k], CMK_TABLE_AT(in_constant, k));
        CMK_STORE(&out[18 + k], made[k]);
    }
    for (int k = 0; k < 9; ++k) {
        CMK_STORE(&out[27 + k], (double)CMK_TABLE_AT(in_parameter, k));
        CMK_STORE(&out[36 + k], (double)CMK_TABLE_AT(in_global, k));
        CMK_STORE(&out[45 + k], (double)narrow[k]);
    }
}

static void on_device(void)
{
    double *device = NULL, got[54], gauss[9], slope[9];
    float narrow[9];
    CMK_CHECK(cudaMalloc((void **)&device, sizeof got));
    CMK_CHECK(cudaMemset(device, 0xFF, sizeof got));
    CMK_CHECK(CMK_LAUNCH(read_all, 1, 1, 0, 0, device, in_parameter));
    CMK_CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    CMK_CHECK(cudaFree(device));
    gauss_by_exp(gauss, 3, 1.2);
    tap_check(apart(&got[0], gauss, 7) <= 2e-15 && apart(&got[9], gauss, 7) <= 2e-15, "a Gauss, LITERAL and CONSTANT");
    tap_check(apart(&got[18], gauss, 7) <= 2e-15, "a Gauss made on the device");
    cmk_filter_derivative(slope, 4, 2, STEP);
    cmk_filter_float(narrow, slope, 9);
    for (int k = 0; k < 9; ++k) slope[k] = narrow[k];
    tap_check(apart(&got[27], slope, 9) <= 6e-8, "a derivative, PARAMETER, of floats");
    tap_check(apart(&got[36], sharpen[0], 9) == 0.0, "a sharpening filter, GLOBAL, of ints");
    gauss_by_exp(gauss, 4, 1.2);
    tap_check(apart(&got[45], gauss, 9) <= 6e-8, "a Gauss made on the device, of floats");
}

int main(void)
{
    tap_need_device();
    smoothing();
    far_out();
    floats();
    large_binomials();
    derivatives();
    whole();
    on_device();
    return tap_done();
}
