/* Short versions of the C and C++ standard headers. Only device code is compiled with them: types,
   limits, traits and the few functions that kernels may call. */
#include "config.h"

#include "code/source/standard_headers.h"

#include <string.h>

/* Every header is included at most once. */
#define ONCE "#pragma once\n"
#define HD   "__host__ __device__ constexpr "

/* What GCC predefines, in device code too; and nvcc's twins of macros that name the compiler, which
   smc_device_part_write puts in their place. */
static const char predefined[] = ONCE "#ifndef __FLT_MAX__\n"
#include "code/source/predefined_macros.def"
                                      "#endif\n#define __nvcc__ 1\n#define __gnuc__ 13\n"
                                      "#define __gnuc_minor__ 0\n#define __gnug__ 13\n"
                                      /* headers such as curand_kernel.h include CCCL for NVRTC
                                         alone: nvcc compiles them as C++14, too */
                                      "#if __cplusplus < 201703L && "
                                      "!defined CCCL_IGNORE_DEPRECATED_CPP_DIALECT\n"
                                      "#define CCCL_IGNORE_DEPRECATED_CPP_DIALECT\n#endif\n";

#define LIMITS_OF(name, signed_bits, unsigned_bits)                                                \
    "#define INT" name "_MIN " signed_bits "_MIN\n#define INT" name "_MAX " signed_bits            \
    "_MAX\n#define UINT" name "_MAX " unsigned_bits "_MAX\n"

/* It would take a macro after a string for a call. */
/* clang-format off */

/* As the host's headers have them, which nvcc reads: names of kernels show a long. */
static const char integers[] = ONCE
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;\n"
    "typedef long int64_t; typedef unsigned long uint64_t;\n"
    "typedef int8_t int_least8_t; typedef int16_t int_least16_t; typedef int32_t int_least32_t;\n"
    "typedef int64_t int_least64_t; typedef uint8_t uint_least8_t;\n"
    "typedef uint16_t uint_least16_t; typedef uint32_t uint_least32_t;\n"
    "typedef uint64_t uint_least64_t; typedef int8_t int_fast8_t; typedef int64_t int_fast16_t;\n"
    "typedef int64_t int_fast32_t; typedef int64_t int_fast64_t; typedef uint8_t uint_fast8_t;\n"
    "typedef uint64_t uint_fast16_t; typedef uint64_t uint_fast32_t;\n"
    "typedef uint64_t uint_fast64_t; typedef int64_t intmax_t; typedef uint64_t uintmax_t;\n"
    "typedef int64_t intptr_t; typedef uint64_t uintptr_t;\n"
    "#define INT8_MIN (-128)\n#define INT16_MIN (-32767 - 1)\n#define INT32_MIN (-2147483647 - 1)\n"
    "#define INT64_MIN (-9223372036854775807L - 1)\n"
    "#define INT8_MAX 127\n#define INT16_MAX 32767\n#define INT32_MAX 2147483647\n"
    "#define INT64_MAX 9223372036854775807L\n"
    "#define UINT8_MAX 255\n#define UINT16_MAX 65535\n#define UINT32_MAX 4294967295U\n"
    "#define UINT64_MAX 18446744073709551615UL\n#define SIZE_MAX UINT64_MAX\n"
    "#define PTRDIFF_MIN INT64_MIN\n#define PTRDIFF_MAX INT64_MAX\n"
    LIMITS_OF("_LEAST8", "INT8", "UINT8") LIMITS_OF("_LEAST16", "INT16", "UINT16")
    LIMITS_OF("_LEAST32", "INT32", "UINT32") LIMITS_OF("_LEAST64", "INT64", "UINT64")
    LIMITS_OF("_FAST8", "INT8", "UINT8") LIMITS_OF("_FAST16", "INT64", "UINT64")
    LIMITS_OF("_FAST32", "INT64", "UINT64") LIMITS_OF("_FAST64", "INT64", "UINT64")
    LIMITS_OF("PTR", "INT64", "UINT64") LIMITS_OF("MAX", "INT64", "UINT64")
    "#define INT8_C(c) c\n#define INT16_C(c) c\n#define INT32_C(c) c\n#define INT64_C(c) c##L\n"
    "#define UINT8_C(c) c\n#define UINT16_C(c) c\n#define UINT32_C(c) c##U\n"
    "#define UINT64_C(c) c##UL\n#define INTMAX_C(c) c##L\n#define UINTMAX_C(c) c##UL\n"
    "namespace std {\n"
    "using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;\n"
    "using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;\n"
    "using ::intptr_t; using ::uintptr_t; using ::intmax_t; using ::uintmax_t;\n"
    "}\n";

/* What nvcc reads before every source, with <cuda_runtime.h>. */
static const char implicit[] =
    ONCE "#include <cstddef>\n#include <climits>\n#include <cmath>\n#include <limits>\n"
         "#include <algorithm>\n#include <type_traits>\n#include <utility>\n"
         "typedef unsigned char u_int8_t; typedef unsigned short u_int16_t, ushort;\n"
         "typedef unsigned u_int32_t, uint; typedef unsigned long u_int64_t, ulong;\n"
         "typedef signed char int8_t; typedef short int16_t; typedef int int32_t;\n"
         "typedef long int64_t, ssize_t;\n"
         "#define EXIT_SUCCESS 0\n#define EXIT_FAILURE 1\n#define RAND_MAX 2147483647\n";

static const char sizes[] = ONCE
    "#ifndef NULL\n#define NULL 0\n#endif\n"
    "#ifndef offsetof\n#define offsetof(type, member) __builtin_offsetof(type, member)\n#endif\n"
    "#ifdef __LP64__\ntypedef long ptrdiff_t;\n#else\ntypedef long long ptrdiff_t;\n#endif\n"
    "namespace std {\n"
    "using ::size_t; using ::ptrdiff_t; typedef decltype(nullptr) nullptr_t;\n"
    "enum class byte : unsigned char {};\n"
    "}\n";

static const char floats[] = ONCE
    "#define FLT_RADIX 2\n#define FLT_MANT_DIG 24\n#define DBL_MANT_DIG 53\n#define FLT_DIG 6\n"
    "#define DBL_DIG 15\n#define FLT_EPSILON 1.1920928955078125e-07F\n"
    "#define DBL_EPSILON 2.220446049250313e-16\n#define FLT_MIN 1.17549435082228750797e-38F\n"
    "#define FLT_MAX 3.40282346638528859812e+38F\n#define DBL_MIN 2.2250738585072013830903e-308\n"
    "#define DBL_MAX 1.797693134862315708145e+308\n#define FLT_MAX_EXP 128\n"
    "#define FLT_MIN_EXP (-125)\n#define DBL_MAX_EXP 1024\n#define DBL_MIN_EXP (-1021)\n"
    "#define FLT_TRUE_MIN 1.40129846432481707092e-45F\n#define FLT_MAX_10_EXP 38\n";

static const char limits_of_c[] = ONCE
    "#define CHAR_BIT 8\n#define SCHAR_MIN (-128)\n#define SCHAR_MAX 127\n#define UCHAR_MAX 255\n"
    "#define CHAR_MIN SCHAR_MIN\n#define CHAR_MAX SCHAR_MAX\n#define SHRT_MIN (-32768)\n"
    "#define SHRT_MAX 32767\n#define USHRT_MAX 65535\n#define INT_MAX 2147483647\n"
    "#define INT_MIN (-INT_MAX - 1)\n#define UINT_MAX 4294967295U\n"
    "#define LONG_MAX ((long)(~0UL >> 1))\n#define LONG_MIN (-LONG_MAX - 1)\n"
    "#define ULONG_MAX (~0UL)\n#define LLONG_MAX 9223372036854775807LL\n"
    "#define LLONG_MIN (-LLONG_MAX - 1)\n#define ULLONG_MAX 18446744073709551615ULL\n";

static const char mathematics[] =
    ONCE "#ifndef INFINITY\n#define INFINITY __int_as_float(0x7f800000)\n#endif\n"
         "#ifndef NAN\n#define NAN __int_as_float(0x7fffffff)\n#endif\n"
         "#ifndef HUGE_VAL\n#define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)\n"
         "#define HUGE_VALF INFINITY\n#endif\n"
         "#ifndef M_PI\n"
         "#define M_PI 3.14159265358979323846\n#define M_PI_2 1.57079632679489661923\n"
         "#define M_PI_4 0.78539816339744830962\n#define M_1_PI 0.31830988618379067154\n"
         "#define M_2_PI 0.63661977236758134308\n#define M_2_SQRTPI 1.12837916709551257390\n"
         "#define M_SQRT2 1.41421356237309504880\n#define M_SQRT1_2 0.70710678118654752440\n"
         "#define M_E 2.7182818284590452354\n#define M_LN2 0.69314718055994530942\n"
         "#define M_LN10 2.30258509299404568402\n#define M_LOG2E 1.4426950408889634074\n"
         "#define M_LOG10E 0.43429448190325182765\n"
         "#endif\n";

#define BOTH(name) "using ::" name ";\n"
static const char mathematics_of_cpp[] = ONCE
    "#include <math.h>\n"
    "namespace std {\n"
    BOTH("abs") BOTH("fabs") BOTH("sqrt") BOTH("cbrt") BOTH("exp") BOTH("exp2") BOTH("expm1")
    BOTH("log") BOTH("log2") BOTH("log10") BOTH("log1p") BOTH("pow") BOTH("sin") BOTH("cos")
    BOTH("tan") BOTH("asin") BOTH("acos") BOTH("atan") BOTH("atan2") BOTH("sinh") BOTH("cosh")
    BOTH("tanh") BOTH("asinh") BOTH("acosh") BOTH("atanh") BOTH("floor") BOTH("ceil") BOTH("round")
    BOTH("trunc") BOTH("rint") BOTH("nearbyint") BOTH("fmod") BOTH("remainder") BOTH("fma")
    BOTH("fmin") BOTH("fmax") BOTH("hypot") BOTH("erf") BOTH("erfc") BOTH("tgamma") BOTH("lgamma")
    BOTH("copysign") BOTH("isnan") BOTH("isinf") BOTH("isfinite") BOTH("signbit") BOTH("ldexp")
    BOTH("frexp") BOTH("lround") BOTH("lrint") BOTH("fdim") BOTH("llround") BOTH("llrint")
    BOTH("ilogb") BOTH("logb") BOTH("scalbn") BOTH("scalbln") BOTH("nextafter") BOTH("modf")
    BOTH("remquo") BOTH("nan")
    "}\n";

#define NUMERIC_LIMITS(type, is_signed, is_integer, least, most, lowest, epsilon, digits)          \
    "template <> struct numeric_limits<" type "> {\n"                                              \
    "static constexpr bool is_specialized = true, is_signed = " is_signed                          \
    ", is_integer = " is_integer ", is_exact = is_integer, has_infinity = !is_integer, "           \
    "has_quiet_NaN = !is_integer, is_iec559 = !is_integer;\n"                                      \
    "static constexpr int digits = " digits ";\n" HD "static " type " min() { return " least       \
    "; }\n" HD "static " type " max() { return " most "; }\n" HD "static " type                    \
    " lowest() { return " lowest "; }\n" HD "static " type " epsilon() { return " epsilon "; }\n"
#define INTEGER_LIMITS(type, is_signed, least, most, digits)                                       \
    NUMERIC_LIMITS(type, is_signed, "true", least, most, least, "0", digits)                       \
    "};\n"
#define FLOAT_LIMITS(type, least, most, epsilon, digits, infinite, nan)                            \
    NUMERIC_LIMITS(type, "true", "false", least, most, "-" most, epsilon, digits)                  \
    HD "static " type " infinity() { return " infinite "; }\n" HD "static " type                   \
       " quiet_NaN() { return " nan "; }\n" HD "static " type " signaling_NaN() { return " nan     \
       "; }\n};\n"

static const char limits_of_cpp[] = ONCE
    "#include <cfloat>\n#include <climits>\n"
    "namespace std {\n"
    "template <class T> struct numeric_limits { static constexpr bool is_specialized = false; };\n"
    "template <class T> struct numeric_limits<const T> : numeric_limits<T> {};\n"
    INTEGER_LIMITS("bool", "false", "false", "true", "1")
    INTEGER_LIMITS("char", "true", "CHAR_MIN", "CHAR_MAX", "7")
    INTEGER_LIMITS("signed char", "true", "SCHAR_MIN", "SCHAR_MAX", "7")
    INTEGER_LIMITS("unsigned char", "false", "0", "UCHAR_MAX", "8")
    INTEGER_LIMITS("short", "true", "SHRT_MIN", "SHRT_MAX", "15")
    INTEGER_LIMITS("unsigned short", "false", "0", "USHRT_MAX", "16")
    INTEGER_LIMITS("int", "true", "INT_MIN", "INT_MAX", "31")
    INTEGER_LIMITS("unsigned", "false", "0", "UINT_MAX", "32")
    INTEGER_LIMITS("long", "true", "LONG_MIN", "LONG_MAX", "63")
    INTEGER_LIMITS("unsigned long", "false", "0", "ULONG_MAX", "64")
    INTEGER_LIMITS("long long", "true", "LLONG_MIN", "LLONG_MAX", "63")
    INTEGER_LIMITS("unsigned long long", "false", "0", "ULLONG_MAX", "64")
    FLOAT_LIMITS("float", "FLT_MIN", "FLT_MAX", "FLT_EPSILON", "24",
                 "__builtin_bit_cast(float, 0x7f800000)", "__builtin_bit_cast(float, 0x7fc00000)")
    FLOAT_LIMITS("double", "DBL_MIN", "DBL_MAX", "DBL_EPSILON", "53",
                 "__builtin_bit_cast(double, 0x7ff0000000000000LL)",
                 "__builtin_bit_cast(double, 0x7ff8000000000000LL)")
    "}\n";

static const char traits[] = ONCE
    "namespace std {\n"
    "template <class T, T v> struct integral_constant {\n"
    "  static constexpr T value = v; typedef T value_type; typedef integral_constant type;\n"
    "  " HD "operator T() const { return v; } " HD "T operator()() const { return v; } };\n"
    "typedef integral_constant<bool, true> true_type;\n"
    "typedef integral_constant<bool, false> false_type;\n"
    "template <bool b> using bool_constant = integral_constant<bool, b>;\n"
    "template <class...> using void_t = void;\n"
    "template <bool b, class T = void> struct enable_if {};\n"
    "template <class T> struct enable_if<true, T> { typedef T type; };\n"
    "template <bool b, class T = void> using enable_if_t = typename enable_if<b, T>::type;\n"
    "template <bool b, class T, class F> struct conditional { typedef T type; };\n"
    "template <class T, class F> struct conditional<false, T, F> { typedef F type; };\n"
    "template <bool b, class T, class F> using conditional_t =\n"
    "  typename conditional<b, T, F>::type;\n"
    "template <class A, class B> struct is_same : false_type {};\n"
    "template <class A> struct is_same<A, A> : true_type {};\n"
    "template <class T> struct remove_const { typedef T type; };\n"
    "template <class T> struct remove_const<const T> { typedef T type; };\n"
    "template <class T> struct remove_volatile { typedef T type; };\n"
    "template <class T> struct remove_volatile<volatile T> { typedef T type; };\n"
    "template <class T> struct remove_cv {\n"
    "  typedef typename remove_const<typename remove_volatile<T>::type>::type type; };\n"
    "template <class T> struct remove_reference { typedef T type; };\n"
    "template <class T> struct remove_reference<T &> { typedef T type; };\n"
    "template <class T> struct remove_reference<T &&> { typedef T type; };\n"
    "template <class T> struct remove_pointer { typedef T type; };\n"
    "template <class T> struct remove_pointer<T *> { typedef T type; };\n"
    "template <class T> struct remove_pointer<T *const> { typedef T type; };\n"
    "template <class T> struct remove_extent { typedef T type; };\n"
    "template <class T> struct remove_extent<T[]> { typedef T type; };\n"
    "template <class T, size_t n> struct remove_extent<T[n]> { typedef T type; };\n"
    "template <class T> struct add_const { typedef const T type; };\n"
    "template <class T> struct add_lvalue_reference { typedef T &type; };\n"
    "template <> struct add_lvalue_reference<void> { typedef void type; };\n"
    "template <class T> struct add_rvalue_reference { typedef T &&type; };\n"
    "template <> struct add_rvalue_reference<void> { typedef void type; };\n"
    "template <class T> struct add_pointer {\n"
    "  typedef typename remove_reference<T>::type *type; };\n"
    "template <class T> struct is_array : false_type {};\n"
    "template <class T> struct is_array<T[]> : true_type {};\n"
    "template <class T, size_t n> struct is_array<T[n]> : true_type {};\n"
    "template <class T> struct decay_base { typedef typename remove_cv<T>::type type; };\n"
    "template <class T> struct decay_base<T[]> { typedef T *type; };\n"
    "template <class T, size_t n> struct decay_base<T[n]> { typedef T *type; };\n"
    "template <class R, class... A> struct decay_base<R(A...)> { typedef R (*type)(A...); };\n"
    "template <class T> struct decay : decay_base<typename remove_reference<T>::type> {};\n"
    "template <class T> struct add_volatile { typedef volatile T type; };\n"
    "template <class T> struct add_cv { typedef const volatile T type; };\n"
    "template <class T> struct remove_all_extents { typedef T type; };\n"
    "template <class T> struct remove_all_extents<T[]> : remove_all_extents<T> {};\n"
    "template <class T, size_t n> struct remove_all_extents<T[n]> : remove_all_extents<T> {};\n"
    "template <class T> typename add_rvalue_reference<T>::type declval();\n"
    "template <class T> struct is_const : false_type {};\n"
    "template <class T> struct is_const<const T> : true_type {};\n"
    "template <class T> struct is_reference : false_type {};\n"
    "template <class T> struct is_reference<T &> : true_type {};\n"
    "template <class T> struct is_reference<T &&> : true_type {};\n"
    "template <class T> struct is_lvalue_reference : false_type {};\n"
    "template <class T> struct is_lvalue_reference<T &> : true_type {};\n"
    "template <class T> struct is_rvalue_reference : false_type {};\n"
    "template <class T> struct is_rvalue_reference<T &&> : true_type {};\n"
    "template <class T> struct is_volatile : false_type {};\n"
    "template <class T> struct is_volatile<volatile T> : true_type {};\n"
    "template <class T> struct is_pointer_base : false_type {};\n"
    "template <class T> struct is_pointer_base<T *> : true_type {};\n"
    "template <class T> struct is_pointer : is_pointer_base<typename remove_cv<T>::type> {};\n"
    "template <class T> struct is_null_pointer\n"
    "  : is_same<typename remove_cv<T>::type, decltype(nullptr)> {};\n"
    "template <class T> struct is_function\n"
    "  : bool_constant<!is_const<const T>::value && !is_reference<T>::value> {};\n"
    "template <class T> struct is_void : is_same<typename remove_cv<T>::type, void> {};\n"
    "template <class T> struct is_floating_base : false_type {};\n"
    "template <> struct is_floating_base<float> : true_type {};\n"
    "template <> struct is_floating_base<double> : true_type {};\n"
    "template <> struct is_floating_base<long double> : true_type {};\n"
    "template <class T> struct is_floating_point\n"
    "  : is_floating_base<typename remove_cv<T>::type> {};\n"
    "template <class T> struct is_integral_base : false_type {};\n"
#define INTEGRAL(type) "template <> struct is_integral_base<" type "> : true_type {};\n"
    INTEGRAL("bool") INTEGRAL("char") INTEGRAL("signed char") INTEGRAL("unsigned char")
    INTEGRAL("short") INTEGRAL("unsigned short") INTEGRAL("int") INTEGRAL("unsigned")
    INTEGRAL("long") INTEGRAL("unsigned long") INTEGRAL("long long") INTEGRAL("unsigned long long")
    INTEGRAL("wchar_t") INTEGRAL("char16_t") INTEGRAL("char32_t")
    "template <class T> struct is_integral : is_integral_base<typename remove_cv<T>::type> {};\n"
    "template <class T> struct is_arithmetic\n"
    "  : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};\n"
    "template <class T> struct is_signed : "
    "bool_constant<is_arithmetic<T>::value && T(-1) < T(0)> {};\n"
    "template <class T> struct is_unsigned\n"
    "  : bool_constant<is_integral<T>::value && !(T(-1) < T(0))> {};\n"
    "template <class T> struct is_enum : bool_constant<__is_enum(T)> {};\n"
    "template <class T> struct is_class : bool_constant<__is_class(T)> {};\n"
    "template <class A, class B> struct is_base_of : bool_constant<__is_base_of(A, B)> {};\n"
    "template <class A, class B> struct is_convertible : "
    "bool_constant<__is_convertible_to(A, B)> {};\n"
    "template <class T> struct is_trivially_copyable : "
    "bool_constant<__is_trivially_copyable(T)> {};\n"
    "template <class T> struct is_standard_layout : bool_constant<__is_standard_layout(T)> {};\n"
#define COMPILER_TRAIT(name, word)                                                                 \
    "template <class T> struct " name " : bool_constant<" word "(T)> {};\n"
    COMPILER_TRAIT("is_union", "__is_union") COMPILER_TRAIT("is_empty", "__is_empty")
    COMPILER_TRAIT("is_final", "__is_final") COMPILER_TRAIT("is_trivial", "__is_trivial")
    COMPILER_TRAIT("is_pod", "__is_pod") COMPILER_TRAIT("is_abstract", "__is_abstract")
    COMPILER_TRAIT("is_polymorphic", "__is_polymorphic")
    COMPILER_TRAIT("is_default_constructible", "__is_constructible")
    COMPILER_TRAIT("is_trivially_default_constructible", "__is_trivially_constructible")
    COMPILER_TRAIT("is_trivially_destructible", "__has_trivial_destructor")
    "template <class T, class... A> struct is_constructible\n"
    "  : bool_constant<__is_constructible(T, A...)> {};\n"
    "template <class T> struct is_copy_constructible : is_constructible<T, const T &> {};\n"
    "template <class T> struct is_move_constructible : is_constructible<T, T &&> {};\n"
    "template <class T> struct is_trivially_copy_constructible\n"
    "  : bool_constant<__is_trivially_constructible(T, const T &)> {};\n"
    "template <class A, class B> struct is_assignable : bool_constant<__is_assignable(A, B)> {};\n"
    "template <class T> struct is_copy_assignable : is_assignable<T &, const T &> {};\n"
    "template <class T> struct is_fundamental : bool_constant<is_arithmetic<T>::value ||\n"
    "  is_void<T>::value || is_null_pointer<T>::value> {};\n"
    "template <class T> struct is_object : bool_constant<!is_function<T>::value &&\n"
    "  !is_reference<T>::value && !is_void<T>::value> {};\n"
    "template <class T> struct rank : integral_constant<size_t, 0> {};\n"
    "template <class T> struct rank<T[]> : integral_constant<size_t, rank<T>::value + 1> {};\n"
    "template <class T, size_t n> struct rank<T[n]>\n"
    "  : integral_constant<size_t, rank<T>::value + 1> {};\n"
    "template <class T, unsigned i = 0> struct extent : integral_constant<size_t, 0> {};\n"
    "template <class T, size_t n> struct extent<T[n], 0> : integral_constant<size_t, n> {};\n"
    "template <class T, size_t n, unsigned i> struct extent<T[n], i> : extent<T, i - 1> {};\n"
    "template <class...> struct conjunction : true_type {};\n"
    "template <class A> struct conjunction<A> : A {};\n"
    "template <class A, class... B> struct conjunction<A, B...>\n"
    "  : conditional<bool(A::value), conjunction<B...>, A>::type {};\n"
    "template <class...> struct disjunction : false_type {};\n"
    "template <class A> struct disjunction<A> : A {};\n"
    "template <class A, class... B> struct disjunction<A, B...>\n"
    "  : conditional<bool(A::value), A, disjunction<B...>>::type {};\n"
    "template <class A> struct negation : bool_constant<!bool(A::value)> {};\n"
    "template <class... T> struct common_type {};\n"
    "template <class T> struct common_type<T> : decay<T> {};\n"
    "template <class A, class B> struct common_type<A, B> {\n"
    "  typedef typename decay<decltype(true ? declval<A>() : declval<B>())>::type type; };\n"
    "template <class A, class B, class... C> struct common_type<A, B, C...>\n"
    "  : common_type<typename common_type<A, B>::type, C...> {};\n"
    "template <class... T> using common_type_t = typename common_type<T...>::type;\n"
    "template <class F, class... A> struct invoke_result {\n"
    "  typedef decltype(declval<F>()(declval<A>()...)) type; };\n"
    "template <class F, class... A> using invoke_result_t =\n"
    "  typename invoke_result<F, A...>::type;\n"
    "template <size_t n, size_t alignment = 16> struct aligned_storage {\n"
    "  union type { unsigned char data[n]; struct alignas(alignment) empty {} aligned; }; };\n"
    "template <size_t n, size_t alignment = 16> using aligned_storage_t =\n"
    "  typename aligned_storage<n, alignment>::type;\n"
    "template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> {};\n"
    "template <class T> struct underlying_type { typedef __underlying_type(T) type; };\n"
    "template <class T> struct make_unsigned { typedef T type; };\n"
    "template <class T> struct make_signed { typedef T type; };\n"
#define SIGNS(type)                                                                                \
    "template <> struct make_unsigned<" type "> { typedef unsigned " type " type; };\n"            \
    "template <> struct make_signed<unsigned " type "> { typedef " type " type; };\n"
    SIGNS("short") SIGNS("int") SIGNS("long") SIGNS("long long")
    "template <> struct make_unsigned<char> { typedef unsigned char type; };\n"
    "template <> struct make_unsigned<signed char> { typedef unsigned char type; };\n"
    "template <> struct make_signed<char> { typedef signed char type; };\n"
    "template <> struct make_signed<unsigned char> { typedef signed char type; };\n"
#define SHORT_TYPE(name) "template <class T> using " name "_t = typename " name "<T>::type;\n"
    SHORT_TYPE("remove_const") SHORT_TYPE("remove_cv") SHORT_TYPE("remove_reference")
    SHORT_TYPE("remove_pointer") SHORT_TYPE("remove_extent") SHORT_TYPE("decay")
    SHORT_TYPE("add_pointer") SHORT_TYPE("add_const") SHORT_TYPE("add_lvalue_reference")
    SHORT_TYPE("add_rvalue_reference") SHORT_TYPE("underlying_type") SHORT_TYPE("make_unsigned")
    SHORT_TYPE("make_signed") SHORT_TYPE("remove_volatile") SHORT_TYPE("remove_all_extents")
    SHORT_TYPE("add_volatile") SHORT_TYPE("add_cv")
    "#if __cplusplus >= 201402L\n"
    "template <class A, class B> constexpr bool is_same_v = is_same<A, B>::value;\n"
    "template <class A, class B> constexpr bool is_base_of_v = is_base_of<A, B>::value;\n"
    "template <class A, class B> constexpr bool is_convertible_v = is_convertible<A, B>::value;\n"
#define SHORT_VALUE(name) "template <class T> constexpr auto " name "_v = " name "<T>::value;\n"
    SHORT_VALUE("is_integral") SHORT_VALUE("is_floating_point") SHORT_VALUE("is_arithmetic")
    SHORT_VALUE("is_signed") SHORT_VALUE("is_unsigned") SHORT_VALUE("is_pointer")
    SHORT_VALUE("is_const") SHORT_VALUE("is_void") SHORT_VALUE("is_reference")
    SHORT_VALUE("is_enum") SHORT_VALUE("is_class") SHORT_VALUE("is_trivially_copyable")
    SHORT_VALUE("is_array") SHORT_VALUE("is_lvalue_reference") SHORT_VALUE("is_rvalue_reference")
    SHORT_VALUE("is_volatile") SHORT_VALUE("is_null_pointer") SHORT_VALUE("is_function")
    SHORT_VALUE("is_union") SHORT_VALUE("is_empty") SHORT_VALUE("is_final")
    SHORT_VALUE("is_trivial") SHORT_VALUE("is_pod") SHORT_VALUE("is_standard_layout")
    SHORT_VALUE("is_default_constructible") SHORT_VALUE("is_copy_constructible")
    SHORT_VALUE("is_trivially_destructible") SHORT_VALUE("is_fundamental")
    SHORT_VALUE("is_object") SHORT_VALUE("rank") SHORT_VALUE("alignment_of")
    "template <class T, unsigned i = 0> constexpr size_t extent_v = extent<T, i>::value;\n"
    "template <class T, class... A> constexpr bool is_constructible_v =\n"
    "  is_constructible<T, A...>::value;\n"
    "template <class... T> constexpr bool conjunction_v = conjunction<T...>::value;\n"
    "template <class... T> constexpr bool disjunction_v = disjunction<T...>::value;\n"
    "template <class T> constexpr bool negation_v = negation<T>::value;\n"
    "#endif\n"
    "}\n";

/* clang-format on */

/* NVRTC provides std::move and std::forward itself. */
static const char utilities[] = ONCE
    "#include <type_traits>\n"
    "namespace std {\n"
    "template <class T> " HD "void swap(T &a, T &b) { T t = move(a); a = move(b); b = move(t); }\n"
    "template <class A, class B> struct pair {\n"
    "  typedef A first_type; typedef B second_type; A first; B second; };\n"
    "template <class A, class B> " HD "pair<A, B> make_pair(A a, B b) {\n"
    "  return pair<A, B>{a, b}; }\n"
    "template <class T, T... i> struct integer_sequence {\n"
    "  static constexpr size_t size() { return sizeof...(i); } };\n"
    "template <size_t... i> using index_sequence = integer_sequence<size_t, i...>;\n"
    "template <class T, size_t n, T... i> struct sequence_of\n"
    "  : sequence_of<T, n - 1, T(n - 1), i...> {};\n"
    "template <class T, T... i> struct sequence_of<T, 0, i...> {\n"
    "  typedef integer_sequence<T, i...> type; };\n"
    "template <class T, T n> using make_integer_sequence = typename sequence_of<T, n>::type;\n"
    "template <size_t n> using make_index_sequence = make_integer_sequence<size_t, n>;\n"
    "}\n";

static const char algorithms[] =
    ONCE "#include <utility>\n"
         "namespace std {\n"
         "template <class T> " HD "const T &min(const T &a, const T &b) { return b < a ? b : a; }\n"
         "template <class T> " HD "const T &max(const T &a, const T &b) { return a < b ? b : a; }\n"
         "template <class T, class F> " HD "const T &min(const T &a, const T &b, F less) {\n"
         "  return less(b, a) ? b : a; }\n"
         "template <class T, class F> " HD "const T &max(const T &a, const T &b, F less) {\n"
         "  return less(a, b) ? b : a; }\n"
         "template <class T> " HD "const T &clamp(const T &x, const T &low, const T &high) {\n"
         "  return x < low ? low : high < x ? high : x; }\n"
         "}\n";

static const char arrays[] =
    ONCE "namespace std {\n"
         "template <class T, size_t n> struct array {\n"
         "  typedef T value_type; T elements[n ? n : 1];\n"
         "  " HD "T &operator[](size_t i) { return elements[i]; }\n"
         "  " HD "const T &operator[](size_t i) const { return elements[i]; }\n"
         "  " HD "size_t size() const { return n; } " HD "T *data() { return elements; }\n"
         "  " HD "const T *data() const { return elements; }\n"
         "  " HD "T *begin() { return elements; } " HD "T *end() { return elements + n; }\n"
         "  " HD "const T *begin() const { return elements; }\n"
         "  " HD "const T *end() const { return elements + n; } };\n"
         "}\n";

static const char iterators[] =
    ONCE "namespace std {\n"
         "struct input_iterator_tag {}; struct output_iterator_tag {};\n"
         "struct forward_iterator_tag : input_iterator_tag {};\n"
         "struct bidirectional_iterator_tag : forward_iterator_tag {};\n"
         "struct random_access_iterator_tag : bidirectional_iterator_tag {};\n"
         "template <class I> struct iterator_traits {\n"
         "  typedef typename I::difference_type difference_type;\n"
         "  typedef typename I::value_type value_type; typedef typename I::pointer pointer;\n"
         "  typedef typename I::reference reference;\n"
         "  typedef typename I::iterator_category iterator_category; };\n"
         "template <class T> struct iterator_traits<T *> {\n"
         "  typedef long difference_type; typedef T value_type; typedef T *pointer;\n"
         "  typedef T &reference; typedef random_access_iterator_tag iterator_category; };\n"
         "template <class T> struct iterator_traits<const T *> {\n"
         "  typedef long difference_type; typedef T value_type; typedef const T *pointer;\n"
         "  typedef const T &reference; typedef random_access_iterator_tag iterator_category; };\n"
         "}\n";

static const char functions[] = ONCE "namespace std {\n"
#define OPERATION(name, result, sign)                                                              \
    "template <class T = void> struct " name " { " HD result " operator()(const T &a, "            \
    "const T &b) const { return a " sign " b; } };\n"
    OPERATION("plus", "T", "+") OPERATION("minus", "T", "-") OPERATION("multiplies", "T", "*")
        OPERATION("divides", "T", "/") OPERATION("less", "bool", "<")
            OPERATION("greater", "bool", ">") OPERATION("equal_to", "bool", "==") "}\n";

static const char assertions[] =
    "#ifdef NDEBUG\n#undef assert\n#define assert(e) ((void)0)\n#endif\n";

/* The rounding modes, as the C library of x86-64 numbers them. */
static const char rounding[] =
    ONCE "#define FE_TONEAREST 0\n#define FE_DOWNWARD 0x400\n#define FE_UPWARD 0x800\n"
         "#define FE_TOWARDZERO 0xc00\n";

/* cub/cub.cuh also has algorithms of the whole device, which are host code. */
static const char cub[] =
    ONCE "#include <cub/block/block_reduce.cuh>\n#include <cub/block/block_scan.cuh>\n"
         "#include <cub/block/block_load.cuh>\n#include <cub/block/block_store.cuh>\n"
         "#include <cub/block/block_exchange.cuh>\n#include <cub/block/block_radix_sort.cuh>\n"
         "#include <cub/block/block_histogram.cuh>\n#include <cub/block/block_discontinuity.cuh>\n"
         "#include <cub/block/block_merge_sort.cuh>\n#include <cub/block/block_shuffle.cuh>\n"
         "#include <cub/warp/warp_reduce.cuh>\n#include <cub/warp/warp_scan.cuh>\n"
         "#include <cub/warp/warp_load.cuh>\n#include <cub/warp/warp_store.cuh>\n"
         "#include <cub/warp/warp_exchange.cuh>\n#include <cub/warp/warp_merge_sort.cuh>\n";

/* As the toolkit of NVRTC's version has it. */
static const char driver[] =
    ONCE "#define CUDA_VERSION (__CUDACC_VER_MAJOR__ * 1000 + __CUDACC_VER_MINOR__ * 10)\n";

static const char nothing[] = "";

const struct smc_standard_header smc_standard_headers[] = {
    {SMC_HEADER_PREDEFINED, predefined, SMC_HEADER_ALWAYS},
    {SMC_HEADER_IMPLICIT, implicit, SMC_HEADER_ALWAYS},
    {"stdint.h", integers, SMC_HEADER_ALWAYS},
    {"inttypes.h", "#include <stdint.h>\n", SMC_HEADER_ALWAYS},
    {"cstdint", "#include <stdint.h>\n", SMC_HEADER_ALWAYS},
    {"cinttypes", "#include <stdint.h>\n", SMC_HEADER_ALWAYS},
    {"stddef.h", sizes, SMC_HEADER_ALWAYS},
    {"cstddef", "#include <stddef.h>\n", SMC_HEADER_ALWAYS},
    {"float.h", floats, SMC_HEADER_ALWAYS},
    {"cfloat", "#include <float.h>\n", SMC_HEADER_ALWAYS},
    {"limits.h", limits_of_c, SMC_HEADER_ALWAYS},
    {"climits", "#include <limits.h>\n", SMC_HEADER_ALWAYS},
    {"math.h", mathematics, SMC_HEADER_ALWAYS},
    {"cmath", mathematics_of_cpp, SMC_HEADER_ALWAYS},
    {"limits", limits_of_cpp, SMC_HEADER_ALWAYS},
    {"type_traits", traits, SMC_HEADER_ALWAYS},
    {"utility", utilities, SMC_HEADER_ALWAYS},
    {"algorithm", algorithms, SMC_HEADER_ALWAYS},
    {"array", arrays, SMC_HEADER_ALWAYS},
    {"functional", functions, SMC_HEADER_ALWAYS},
    {"iterator", iterators, SMC_HEADER_ALWAYS},
    {"assert.h", assertions, SMC_HEADER_ALWAYS},
    {"cassert", "#include <assert.h>\n", SMC_HEADER_ALWAYS},
    {"fenv.h", rounding, SMC_HEADER_ALWAYS},
    {"cfenv", "#include <fenv.h>\n", SMC_HEADER_ALWAYS},
    {"cub/cub.cuh", cub, SMC_HEADER_WITH_TOOLKIT},
    {"cstdio", nothing, SMC_HEADER_ALWAYS},
    {"stdio.h", nothing, SMC_HEADER_ALWAYS},
    {"cstdlib", "#include <stddef.h>\n", SMC_HEADER_ALWAYS},
    {"stdlib.h", "#include <stddef.h>\n", SMC_HEADER_ALWAYS},
    {"cstring", "#include <stddef.h>\n", SMC_HEADER_ALWAYS},
    {"string.h", "#include <stddef.h>\n", SMC_HEADER_ALWAYS},
    {"initializer_list", nothing, SMC_HEADER_ALWAYS},
    {"cuda.h", driver, SMC_HEADER_WITHOUT_TOOLKIT},
    {"cuda_runtime.h", nothing, SMC_HEADER_WITHOUT_TOOLKIT},
    {"cuda_runtime_api.h", nothing, SMC_HEADER_WITHOUT_TOOLKIT},
    {"device_launch_parameters.h", nothing, SMC_HEADER_WITHOUT_TOOLKIT},
    {"vector_types.h", nothing, SMC_HEADER_WITHOUT_TOOLKIT},
    {"vector_functions.h", nothing, SMC_HEADER_WITHOUT_TOOLKIT},
};
const size_t smc_standard_header_count = sizeof smc_standard_headers / sizeof *smc_standard_headers;

bool smc_standard_header_applies(const struct smc_standard_header *header, bool is_found)
{
    return header->use == SMC_HEADER_ALWAYS || is_found == (header->use == SMC_HEADER_WITH_TOOLKIT);
}

const struct smc_standard_header *smc_standard_header_find(const char *name, size_t length)
{
    for (size_t i = 0; i < smc_standard_header_count; i++)
        if (strlen(smc_standard_headers[i].name) == length &&
            memcmp(smc_standard_headers[i].name, name, length) == 0)
            return &smc_standard_headers[i];
    return NULL;
}

/* --- Headers of the toolkit ------------------------------------------------------------------- */

/* For NVRTC these declare the types of <cstdint> themselves, with long long instead of long. */
const char *const smc_adapted_headers[] = {
    "cuda/std/cstdint",
    "cuda/std/detail/libcxx/include/cstdint",
    "cuda_pipeline_helpers.h",
    "cuda_awbarrier_helpers.h",
};
const size_t smc_adapted_header_count = sizeof smc_adapted_headers / sizeof *smc_adapted_headers;

static bool standard_headers_has(const char *line, size_t length, const char *word)
{
    return memmem(line, length, word, strlen(word)) != NULL;
}

/* "#if ..." before "# include <cstdint>": the header that other compilers read. */
static bool chooses_header(const char *line, size_t length)
{
    const char *next = line + length + (line[length] == '\n');
    size_t next_length = strcspn(next, "\n");
    return line[0] == '#' && standard_headers_has(line, length, "if") && next[0] == '#' &&
           standard_headers_has(next, next_length, "include <cstdint>");
}

void smc_adapted_header_write(const char *text, struct smc_text *out)
{
    static const char longer[] = "long long";
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        bool declares = (strncmp(text, "typedef ", 8) == 0 || strncmp(text, "using ", 6) == 0) &&
                        standard_headers_has(text, length, "int64_t");
        const char *found = declares ? memmem(text, length, longer, sizeof longer - 1) : NULL;
        if (chooses_header(text, length)) {
            smc_text_append(out, "#if 1");
        } else if (found) {
            const char *rest = found + sizeof "long " - 1;
            smc_text_append_bytes(out, text, (size_t)(found - text));
            smc_text_append_bytes(out, rest, length - (size_t)(rest - text));
        } else {
            smc_text_append_bytes(out, text, length);
        }
        smc_text_append(out, "\n");
    }
}
