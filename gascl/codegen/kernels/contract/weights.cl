// Weights as integers, which add up to the same in any order.
#if GASCL_FLOATS
typedef double gascl_weight;
#define GASCL_UNITS(weight) convert_long_rte((weight) / unit)
#define GASCL_OF_UNITS(sum) ((gascl_weight)(sum) * unit)
#else
typedef long gascl_weight;
#define GASCL_UNITS(weight) (weight)
#define GASCL_OF_UNITS(sum) (sum)
#endif
