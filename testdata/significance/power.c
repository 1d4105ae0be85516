/* Simulates the power at the detectable difference of `corefeval compare`, in plain C: fast, and independent of
 * `corefeval-dev coverage --tables power,few`.
 *
 *     cc -O3 -o target/power testdata/significance/power.c -lm && target/power 20000
 *
 * Each case has two corpora of the populations of `corefeval-dev coverage`: the detectable difference of the first is the
 * true difference in the second. The table has the share of cases in which the test finds it, with its Monte Carlo error.
 * The argument is the number of cases for each number; with up to 20 documents there are five times as many.
 * Quantiles and the distribution of standard errors are integrated numerically. Nothing here uses corefeval. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 350, SYSTEMS = 6, RESAMPLES = 999, STEPS = 41, GRID = 40, TEXTS = 400000, GROUPS = (MOST + 7) / 8 };
enum test { RANDOMIZATION, BOOTSTRAP };
static const double INVENTED = 0.25, TIE = 1e-12;
static const double PI = 3.14159265358979323846;

/* xoshiro256** (Blackman and Vigna 2018), from a seed by SplitMix64. */
static uint64_t state[4];

static uint64_t left(uint64_t bits, int by) { return bits << by | bits >> (64 - by); }

static uint64_t bits64(void) {
    uint64_t result = left(state[1] * 5, 7) * 9, shifted = state[1] << 17;
    state[2] ^= state[0], state[3] ^= state[1], state[1] ^= state[2], state[0] ^= state[3];
    state[2] ^= shifted, state[3] = left(state[3], 45);
    return result;
}

static void seed(uint64_t number) {
    for (int place = 0; place < 4; place++) {
        uint64_t mixed = number += 0x9e3779b97f4a7c15;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
        state[place] = mixed ^ mixed >> 31;
    }
}

static double unit(void) { return (bits64() >> 11) * 0x1p-53; }

static double normal(void) {
    double angle = 2 * PI * unit(), away = 1 - unit();
    return sqrt(-2 * log(away)) * cos(angle);
}

static int binomial(int number, double share) {
    uint64_t limit = (uint64_t)(fmin(fmax(share, 0), 1) * 4294967296.0);
    int count = 0;
    for (int place = 0; place < number; place += 2) {
        uint64_t bits = bits64();
        count += (bits & 0xffffffff) < limit;
        count += place + 1 < number && bits >> 32 < limit;
    }
    return count;
}

/* The design. */
static int skewed, documents, comparisons;
static enum test test;

/* Draws the mentions of a document, and its ease, which is added to the skill of every system. */
static int document(double *ease) {
    if (!skewed) {
        int size = 5 + (int)(30 * unit());
        *ease = 0.6 * unit() - 0.3;
        return size;
    }
    double size = fmin(fmax(round(20 * exp(normal())), 2), 600);
    *ease = 0.3 * (unit() - 0.5) - 0.06 * log(size / 20);
    return (int)size;
}

/* The F1 of infinite text for skills from 0.1 to 1.1. */
static double truths[STEPS];

/* The place of the skill of an ordinary system, 0.6. */
enum { ORDINARY = 20 };

static double skill_at(int step) { return 0.025 * (step + 4); }

static void find_truths(void) {
    double right[STEPS] = {0}, key = 0;
    seed(77);
    for (int text = 0; text < TEXTS; text++) {
        double ease;
        int size = document(&ease);
        key += size;
        for (int step = 0; step < STEPS; step++)
            right[step] += size * fmin(fmax(skill_at(step) + ease, 0), 1);
    }
    for (int step = 0; step < STEPS; step++)
        truths[step] = 2 * right[step] / (key + right[step] + INVENTED * key);
}

static double skill_of(double truth) {
    int above = 1;
    while (above < STEPS - 1 && truths[above] < truth)
        above++;
    double share = (truth - truths[above - 1]) / fmax(truths[above] - truths[above - 1], 1e-9);
    return skill_at(above - 1) + fmin(fmax(share, 0), 1) * 0.025;
}

/* The correct mentions of each system in each document, and the mentions of both sides together. */
static double right[SYSTEMS][MOST], both[SYSTEMS][MOST];

/* The first system is the baseline, the second is better by `apart`, and the others are as good as the first. */
static void corpus(double apart, int systems) {
    double middle = truths[ORDINARY], skills[2] = {skill_of(middle - apart / 2), skill_of(middle + apart / 2)};
    for (int place = 0; place < documents; place++) {
        double ease;
        int key = document(&ease);
        for (int system = 0; system < systems; system++) {
            int found = binomial(key, skills[system == 1] + ease);
            right[system][place] = found;
            both[system][place] = key + found + binomial(key, INVENTED);
        }
    }
}

static double f1(double right, double both) { return both > 0 ? 2 * right / both : 0; }

static double sum(const double *values) {
    double total = 0;
    for (int place = 0; place < documents; place++)
        total += values[place];
    return total;
}

/* The upper tail of Student's t, which is √freedom tan of an angle with a density of cosine^(freedom - 1). */
static double student_tail(double t, double freedom) {
    double from = atan(t / sqrt(freedom)), tail = 0, all = 0;
    int steps = 4000;
    for (int step = 0; step <= steps; step++) {
        double weight = step % steps == 0 ? 1 : step % 2 ? 4 : 2;
        double inner = from + (PI / 2 - from) * step / steps, outer = PI * (step - steps / 2) / steps;
        tail += weight * pow(fmax(cos(inner), 1e-300), freedom - 1);
        all += weight * pow(fmax(cos(outer), 1e-300), freedom - 1);
    }
    return tail * (PI / 2 - from) / (all * PI);
}

static double quantile(double tail, double freedom) {
    double low = 0, high = 1000;
    for (int round = 0; round < 60; round++) {
        double middle = (low + high) / 2;
        double above = freedom > 0 ? student_tail(middle, freedom) : erfc(middle / sqrt(2)) / 2;
        if (above > tail)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The q with which q S + Z > c S' in four of five cases. */
static double reach(double critical, double freedom) {
    enum { POINTS = 120 };
    double values[POINTS], weights[POINTS], total = 0, low = 0, high = 2000;
    for (int point = 0; point < POINTS; point++) {
        double off = (16 * (point + 0.5) / POINTS - 8) * sqrt(0.5 / freedom);
        values[point] = exp(off);
        weights[point] = exp(freedom * (off - values[point] * values[point] / 2 + 0.5));
        total += weights[point];
    }
    for (int round = 0; round < 45; round++) {
        double q = (low + high) / 2, power = 0;
        for (int own = 0; own < POINTS; own++)
            for (int other = 0; other < POINTS; other++)
                power += weights[own] * weights[other] * erfc((critical * values[other] - q * values[own]) / sqrt(2)) / 2;
        if (power < 0.8 * total * total)
            low = q;
        else
            high = q;
    }
    return low;
}

/* The q of corpora by their unevenness, at points between which it is interpolated. */
static double uneven_at[GRID], q_at[GRID];

static int significant(double *step) {
    *step = test == RANDOMIZATION && documents <= 13 ? pow(0.5, documents - 1) : 1.0 / (1 + RESAMPLES);
    return (int)floor(0.05 / comparisons / *step + 1e-9);
}

static void find_q(void) {
    double step, n = documents, tail = significant(&step) * step / 2;
    double t = test == RANDOMIZATION ? quantile(tail, n - 1) : quantile(tail, 0);
    for (int point = 0; point < GRID; point++) {
        double share = point / (GRID - 1.0), v = skewed ? share * share * fmin(n - 2, 30) : share;
        double critical = test == RANDOMIZATION ? t * sqrt(1 + v * (t * t + 3) / (2 * n))
                                                : t * sqrt((n - 1) / n) * (1 + (t * t - 3) * (1 + 3 * v) / (8 * (n + 2)));
        uneven_at[point] = v;
        q_at[point] = reach(critical, fmax(n / (1 + v) - 1, 1));
    }
}

/* Returns the detectable difference of a corpus whose systems are `apart`. */
static double detectable(double apart) {
    corpus(apart, 2);
    double rights[2] = {sum(right[0]), sum(right[1])}, boths[2] = {sum(both[0]), sum(both[1])};
    double mean = 0, squares = 0, weight = 0, weights = 0, n = documents;
    for (int place = 0; place < documents; place++) {
        double less = f1(rights[1] - right[1][place], boths[1] - both[1][place]) -
                      f1(rights[0] - right[0][place], boths[0] - both[0][place]);
        double own = both[0][place] + both[1][place];
        mean += less / n, squares += less * less, weight += own, weights += own * own;
    }
    double v = n * weights / (weight * weight) - 1, error = sqrt((n - 1) / n * (squares - n * mean * mean));
    int above = 1;
    while (above < GRID - 1 && uneven_at[above] < v)
        above++;
    double share = (v - uneven_at[above - 1]) / (uneven_at[above] - uneven_at[above - 1]);
    double q = q_at[above - 1] + share * (q_at[above] - q_at[above - 1]);
    return q * error / sqrt(1 + v / n);
}

/* Returns the p-value of two systems. */
static double p_of(int a, int b) {
    double ra = sum(right[a]), ba = sum(both[a]), rb = sum(right[b]), bb = sum(both[b]);
    double difference = f1(ra, ba) - f1(rb, bb), least = fabs(difference) - TIE;
    int far = 0, exact = documents <= 13, resamples = RESAMPLES;
    if (test == BOOTSTRAP) {
        for (int resample = 0; resample < resamples; resample++) {
            double drawn[4] = {0};
            for (int draw = 0; draw < documents; draw++) {
                int place = (int)((bits64() >> 32) * documents >> 32);
                drawn[0] += right[a][place], drawn[1] += both[a][place];
                drawn[2] += right[b][place], drawn[3] += both[b][place];
            }
            far += fabs(f1(drawn[0], drawn[1]) - f1(drawn[2], drawn[3]) - difference) >= least;
        }
        return (1.0 + far) / (1 + resamples);
    }
    /* The counts that swaps of eight documents move, for each subset of them. */
    static double rights[GROUPS][256], boths[GROUPS][256];
    int groups = (documents + 7) / 8;
    for (int group = 0; group < groups; group++)
        for (int set = 1; set < 256; set++) {
            int lowest = 0;
            while (!(set >> lowest & 1))
                lowest++;
            int place = 8 * group + lowest, rest = set & (set - 1), is_one = place < documents;
            rights[group][set] = rights[group][rest] + (is_one ? right[b][place] - right[a][place] : 0);
            boths[group][set] = boths[group][rest] + (is_one ? both[b][place] - both[a][place] : 0);
        }
    if (exact)
        resamples = (1 << (documents - 1)) - 1;
    for (int resample = 1; resample <= resamples; resample++) {
        double moved_right = 0, moved_both = 0;
        uint64_t bits = resample;
        for (int group = 0; group < groups; group++, bits >>= 8) {
            if (!exact && group % 8 == 0)
                bits = bits64();
            moved_right += rights[group][bits & 255], moved_both += boths[group][bits & 255];
        }
        far += fabs(f1(ra + moved_right, ba + moved_both) - f1(rb - moved_right, bb - moved_both)) >= least;
    }
    return (1.0 + far) / (1 + resamples);
}

/* Returns whether the first of the comparisons is significant at 5%, by Holm. */
static int is_found(void) {
    double level = 0.05 + TIE, first = p_of(0, 1);
    if (first > level || first * comparisons <= level)
        return first <= level;
    double values[SYSTEMS] = {first};
    for (int place = 1; place < comparisons; place++)
        values[place] = p_of(0, place + 1);
    /* It is significant only if all smaller p-values are, each with its own factor. */
    for (int place = 0; place < comparisons; place++) {
        int smaller = 0;
        for (int other = 0; other < comparisons; other++)
            smaller += values[other] < values[place] || (values[other] == values[place] && other < place);
        if (values[place] <= first && values[place] * (comparisons - smaller) > level)
            return 0;
    }
    return 1;
}

static int ascending(const void *a, const void *b) {
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* Computes a cell, with five times as many cases for few documents, for which the power differs slightly. */
static void cell(int cases) {
    if (documents <= 20)
        cases *= 5;
    double usual = 0.06, some[1000];
    seed(1000000 * comparisons + 1000 * documents + 2 * test + skewed);
    find_q();
    for (int round = 0; round < 2; round++) {
        for (int place = 0; place < 1000; place++)
            some[place] = detectable(usual);
        qsort(some, 1000, sizeof *some, ascending);
        usual = some[500];
    }
    int found = 0, all = 0;
    for (int number = 0; number < cases; number++) {
        double apart = detectable(usual);
        if (apart > 1)
            continue;
        corpus(apart, comparisons + 1);
        found += is_found();
        all++;
    }
    double rate = (double)found / all;
    printf(" %.1f ± %.1f |", 100 * rate, 100 * sqrt(rate * (1 - rate) / all));
    fflush(stdout);
}

int main(int count, char **words) {
    const char *populations[] = {"even", "skewed"}, *tests[] = {"randomization", "bootstrap"};
    int cases = count > 1 ? atoi(words[1]) : 20000, numbers[] = {10, 20, 50, 150, 350};
    printf("| population, comparisons, test | 10 | 20 | 50 | 150 | 350 |\n|---|---:|---:|---:|---:|---:|\n");
    for (skewed = 0; skewed < 2; skewed++) {
        find_truths();
        for (int kind = 0; kind < 2; kind++)
            for (comparisons = 1; comparisons <= 5; comparisons += 4) {
                test = kind ? BOOTSTRAP : RANDOMIZATION;
                printf("| %s, %d, `%s` |", populations[skewed], comparisons, tests[kind]);
                for (int place = 0; place < 5; place++) {
                    double step;
                    documents = numbers[place];
                    if (significant(&step) < 10)
                        printf(" – |");
                    else
                        cell(cases);
                }
                printf("\n");
            }
    }
    int few[][2] = {{7, 1}, {10, 5}, {8, 1}, {10, 3}, {10, 2}, {9, 1}};
    test = RANDOMIZATION;
    printf("\n| documents, comparisons, significant p-values | even | skewed |\n|---|---:|---:|\n");
    for (int row = 0; row < 6; row++) {
        double step;
        documents = few[row][0], comparisons = few[row][1];
        printf("| %d, %d, %d |", documents, comparisons, significant(&step));
        for (skewed = 0; skewed < 2; skewed++) {
            find_truths();
            cell(cases);
        }
        printf("\n");
    }
    return 0;
}
