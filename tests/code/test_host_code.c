/* The device part of source with host code: tokens, declarations, instances, source lines. What a
   compiler makes of it is in host_code.sh. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code/source/device_part.h"
#include "code/source/host_piece.h"
#include "code/source/library_calls.h"
#include "code/user_kernels.h"
#include "temporary.h"
#include "unit.h"

static size_t count_lines(const char *text)
{
    size_t count = 0;
    for (; (text = strchr(text, '\n')); text++)
        count++;
    return count;
}

/* Reads the source; the text for the compiler must have as many lines. Free both. */
static void read_part(const char *source, struct smc_device_part *part, struct smc_text *text)
{
    struct smc_error error = {""};
    *part = (struct smc_device_part){0};
    *text = (struct smc_text){0};
    CU_ASSERT_EQUAL_FATAL(smc_device_part_read("x.cu", source, "", "", part, &error), SMC_OK);
    smc_device_part_write(part, 0, text);
    CU_ASSERT_EQUAL(count_lines(smc_text_string(text)), count_lines(source));
}

static void check(const char *source, const char *kept, const char *left_out)
{
    struct smc_device_part part;
    struct smc_text text;
    read_part(source, &part, &text);
    CU_ASSERT_PTR_NOT_NULL(strstr(smc_text_string(&text), kept));
    CU_ASSERT_PTR_NULL(strstr(smc_text_string(&text), left_out));
    smc_text_free(&text);
    smc_device_part_free(&part);
}

static void test_kept(void)
{
    check("__global__ void k(int *x) { *x = 1; }\nint main() { return HOST; }\n", "*x = 1", "HOST");
    check("#define G __global__\nG void k() { f(); }\nvoid h() { HOST(); }\n", "f()", "HOST");
    check("struct A { int x; A() { HOST(); } };\n__global__ void k(A a) {}\n", "int x", "HOST");
    check("struct B { HOST y; };\nstruct A { int x; };\n__global__ void k(A a) {}\n", "int x",
          "HOST");
    check("struct ALIGNED(8) A { int x; };\nvoid h() { HOST(); }\n__global__ void k(A a) {}\n",
          "int x", "HOST");
    check("#ifdef __NVCC__\n#endif\n#ifdef MY__NVCC__\n#endif\n__device__ int __NVCC__2;\n",
          "#ifdef __nvcc__\n#endif\n#ifdef MY__NVCC__\n#endif\n__device__ int __NVCC__2", "HOST");
    check("template <int R, int M, class = E<R <= M>> __device__ int f() { return R; }\n"
          "void h() { HOST(); }\n",
          "return R", "HOST");
    check("template <class T> struct S;\n#define D(t) template <> struct S<t> { int x; }\n"
          "#define E(t) D(t##1); D(t##2)\nE(int);\n#define F(t) struct HOST##t { int y; }\n"
          "__global__ void k(S<int1> *x) {}\nvoid h() { HOST(); }\n",
          "\nE(int);", "HOST();");
    check("#define H __host__\nconstexpr H int f() { return 3; }\nH void HOST();\n"
          "constexpr __host__ int g() { return f(); }\n__global__ void k(int *x) { *x = g(); }\n",
          "constexpr          int g()", "HOST");
    check("constexpr int f(int x) { return x; }\nconstexpr int HOST(int x);\n"
          "__global__ void k(int *x) { *x = f(3); }\n",
          "return x", "HOST");
    check("#ifdef A\nvoid f(int x) {\n#else\nvoid f(float x) {\n#endif\nHOST(); }\n"
          "__device__ int d;\n",
          "__device__ int d", "HOST");
    check("const char *s = R\"x(\n__global__ \" )y\" HOST )x\";\n__device__ int d;\n",
          "__device__ int d", "HOST");
    check("#if 0\n' \" { ( \n#endif\nvoid h() { HOST }\n__device__ int d;\n", "__device__ int d",
          "HOST }");
}

/* A piece ends before its file does. */
static void test_brackets_of_a_piece(void)
{
    struct smc_tokens tokens = {0};
    CU_ASSERT_TRUE_FATAL(smc_tokens_read("(a)(b)", 6, &tokens));
    struct smc_piece piece = {.tokens = &tokens, .end = 3};
    CU_ASSERT_EQUAL(smc_piece_match(&piece, 0), 2);
    CU_ASSERT_EQUAL(smc_piece_match(&piece, 2), 0);
    CU_ASSERT_EQUAL(smc_piece_match(&piece, 1), SMC_NO_TOKEN);
    piece.end = 2;
    CU_ASSERT_EQUAL(smc_piece_match(&piece, 0), SMC_NO_TOKEN);
    CU_ASSERT_EQUAL(smc_piece_match(&piece, 2), SMC_NO_TOKEN);
    smc_tokens_free(&tokens);
}

static void check_instance(const char *source, const char *name)
{
    struct smc_device_part part;
    struct smc_text text;
    bool found = false;
    read_part(source, &part, &text);
    for (size_t i = 0; i < part.instances.count; i++)
        found |= strcmp(part.instances.item[i].name, name) == 0;
    CU_ASSERT(found);
    smc_text_free(&text);
    smc_device_part_free(&part);
}

#define KERNEL "template <class T, int N> __global__ void k(T *x) {}\n"

static void test_instances(void)
{
    check_instance(KERNEL "void h() { k<float, 4><<<1, 2>>>(0); }", "k<float, 4>");
    check_instance(KERNEL "template <class U> void g() { k<U, 2><<<1, 2>>>(0); }\n"
                          "void h() { g<double>(); }",
                   "k<double, 2>");
    check_instance(KERNEL "#define L(n) k<int, n><<<1, 2>>>(0)\nvoid h() { L(8); }", "k<int, 8>");
    check_instance(KERNEL "void h() { constexpr int n = 16; k<int, n><<<1, 2>>>(0); }",
                   "k<int, (16)>");
    check_instance("template <class T> __global__ void k(T *x, int n) {}\n"
                   "void h(float *p) { k<<<1, 2>>>(p, 3); }",
                   "k<float>");
    check_instance("namespace a { " KERNEL "void h() { k<int, 1><<<1, 2>>>(0); } }",
                   "a::k<int, 1>");
}

/* A macro's parameter is the kernel, a host template, or another macro. */
static void test_named_by_parameter(void)
{
    check_instance(KERNEL "#define L(f, n) f<int, n><<<1, 2>>>(0)\nvoid h() { L(k, 8); }",
                   "k<int, 8>");
    check_instance(KERNEL
                   "#define L(f) f<int, 8><<<1, 2>>>(0)\n#define M(g) do { L(g); } while (0)\n"
                   "void h() { M(k); }",
                   "k<int, 8>");
    check_instance("namespace a { " KERNEL "}\n#define L(f) f<int, 8><<<1, 2>>>(0)\n"
                   "void h() { L(a::k); }",
                   "a::k<int, 8>");
    check_instance(KERNEL "template <class U> void g() { k<U, 2><<<1, 2>>>(0); }\n"
                          "#define L(f, t) f<t>()\nvoid h() { L(g, char); }",
                   "k<char, 2>");
    check_instance(KERNEL "#define A(t) k<t, 3><<<1, 2>>>(0)\n#define B(f) f(int); f(char)\n"
                          "void h() { B(A); }",
                   "k<char, 3>");
}

#define TRAITS                                                                                     \
    "template <int A, class T> struct R { enum { k = A }; };\n"                                    \
    "template <class K, int N = 1> __global__ void k(int *x) {}\n"

static void test_local_aliases(void)
{
    check_instance(TRAITS
                   "template <int A, class T> void g() { using K = R<A, T>; k<K><<<1, 2>>>(0); }\n"
                   "void h() { g<64, float>(); }",
                   "k<R<64,float>>");
    check_instance(TRAITS
                   "template <int A, class T> void g() { typedef R<A, T> K; k<K><<<1, 2>>>(0); }\n"
                   "void h() { g<32, int>(); }",
                   "k<R<32,int>>");
    check_instance(TRAITS "void h() { constexpr int n = R<4, int>::k; k<char, n><<<1, 2>>>(0); }",
                   "k<char, (R<4,int>::k)>");
    check_instance(TRAITS
                   "void h() { using K = R<4, int>; using L = R<K::k, K>; k<L><<<1, 2>>>(0); }",
                   "k<R<R<4,int>::k,R<4,int>>>");
}

/* These and no others. */
static void check_instances(const char *source, size_t count, const char *const *names)
{
    struct smc_device_part part;
    struct smc_text text;
    read_part(source, &part, &text);
    CU_ASSERT_EQUAL(part.instances.count, count);
    smc_text_free(&text);
    smc_device_part_free(&part);
    for (size_t i = 0; i < count; i++)
        check_instance(source, names[i]);
}

#define MEMBERS                                                                                    \
    KERNEL "template <class T> struct B { T *p; void total() { k<T, 1><<<1, 1>>>(p); } };\n"       \
           "template <class T> struct V : public B<T> {\n"                                         \
           "    V() { k<T, 2><<<1, 1>>>(0); }\n    void set() { k<T, 3><<<1, 1>>>(0); }\n"         \
           "    void operator()() { k<T, 4><<<1, 1>>>(0); } };\n"

static void test_members(void)
{
    check_instances(MEMBERS "void h(V<double> *p, V<int> *unused) { p->set(); }", 1,
                    (const char *[]){"k<double, 3>"});
    check_instances(MEMBERS "struct O { B<int> b; }; void h(V<char> &v, O &o) { v.total(); }", 1,
                    (const char *[]){"k<char, 1>"});
    check_instances(MEMBERS "extern template class V<int>;\nextern template struct B<int>;", 0,
                    NULL);
    check_instances(MEMBERS "template struct B<int>;", 1, (const char *[]){"k<int, 1>"});
    check_instances(MEMBERS "typedef V<int> I;\nusing F = V<float>;\nvoid h(I *p, F *q) {"
                            " q->set(); }",
                    1, (const char *[]){"k<float, 3>"});
    check_instances(MEMBERS "typedef V<int> I;\nvoid h(I *p, V<float> *q) { p->set(); }", 1,
                    (const char *[]){"k<int, 3>"});
    check_instances(MEMBERS "void h(std::unique_ptr<V<int>> p, V<float> *q) { p->set(); }", 1,
                    (const char *[]){"k<int, 3>"});
    check_instances(MEMBERS "void h(std::vector<V<int>> p, V<float> *q) { p[2].set(); }", 1,
                    (const char *[]){"k<int, 3>"});
}

/* Overloads with other numbers of arguments are not compiled. */
static void test_overloads(void)
{
#define OVERLOADS                                                                                  \
    KERNEL "template <class T> struct V {\n    V() {}\n    explicit V(int n, T v = 0) {"           \
           " k<T, 2><<<1, 1>>>(0); }\n    void set(int n) {}\n"                                    \
           "    void set(int n, T v, int m = 3) { k<T, 3><<<1, 1>>>(0); } };\n"
    check_instances(OVERLOADS "struct O { V<int> a; V<char> b; O() : b(3) {} };\nO o;", 1,
                    (const char *[]){"k<char, 2>"});
    check_instances(OVERLOADS "void h(V<int> &a, V<char> *b) { a.set(1); b->set(1, 2); }", 1,
                    (const char *[]){"k<char, 3>"});
    check_instances(OVERLOADS "void h() { V<int> a; V<char> b(1, 'c'); V<short> c{2}; }", 2,
                    (const char *[]){"k<char, 2>", "k<short, 2>"});
    check_instances(OVERLOADS "void h() { auto p = new V<long>(1); p->set(1); }", 1,
                    (const char *[]){"k<long, 2>"});
    check_instances(OVERLOADS "struct D : V<int> {};\nvoid h(D *d) { d->set(1, 2); }", 1,
                    (const char *[]){"k<int, 3>"});
}

/* Calls in device code, and of what launches nothing, are none. */
static void test_library_calls(void)
{
    static const char source[] =
        "#define SUM(x) cub::DeviceReduce::Sum(x)\n"
        "namespace thrust { struct sort; }\n"
        "__global__ void k(int *p) { thrust::sort(p, p); }\n"
        "__device__ void d(int *p) { thrust::fill(p, p, 1); }\n"
        "__host__ __device__ void b(int *p) { ::thrust::fill(p, p, 1); }\n"
        "void h(int *p) { thrust::raw_pointer_cast(p); thrust::plus<int> q;\n"
        "thrust::sort(thrust::host, p, p); thrust::copy_if(thrust::device, p, p);\n"
        "cub::BlockReduce<int, 3> r; }\n";
    static const char *const names[] = {"thrust::fill", "thrust::copy_if",
                                        "cub::DeviceReduce::Sum"};
    static const uint32_t lines[] = {5, 7, 1};
    struct smc_source_tree tree = {0};
    struct smc_library_call call = {.file = NULL};
    struct smc_error error;
    CU_ASSERT_EQUAL(smc_source_tree_read("x.cu", source, "", "", &tree, &error), SMC_OK);
    for (size_t i = 0; i < 3; i++) {
        CU_ASSERT_FATAL(smc_library_call_next(&tree, &call));
        CU_ASSERT_STRING_EQUAL(call.name, names[i]);
        CU_ASSERT_EQUAL(call.line, lines[i]);
    }
    CU_ASSERT_FALSE(smc_library_call_next(&tree, &call));
    smc_source_tree_free(&tree);
}

static void check_include(const char *file, const char *text, const char *found)
{
    struct smc_source_tree tree = {0};
    struct smc_error error;
    CU_ASSERT_EQUAL(smc_source_tree_read(file, text, "", "", &tree, &error), SMC_OK);
    CU_ASSERT_EQUAL_FATAL(tree.count, found ? 2 : 1);
    CU_ASSERT_EQUAL(tree.file[0].include_count, 1);
    if (found)
        CU_ASSERT_STRING_EQUAL(tree.file[1].path, found);
    smc_source_tree_free(&tree);
}

/* A header in quotation marks is looked for beside the file, in any folder. */
static void test_beside(void)
{
    struct temporary temporary;
    char file[512], header[512];
    temporary_begin(&temporary);
    CU_ASSERT_EQUAL(mkdir(temporary.folder, 0700), 0);
    snprintf(file, sizeof file, "%s/x.cu", temporary.folder);
    snprintf(header, sizeof header, "%s/x.h", temporary.folder);
    CU_ASSERT(temporary_write(header, "\n", 1));
    check_include(file, "#include \"x.h\"\n", header);
    check_include(file, "#include <x.h>\n", NULL);
    check_include("x.cu", "#include \"x.h\"\n", NULL);
    unlink(header);
    temporary_end(&temporary);
}

static void test_lines(void)
{
    static const char source[] = "\n__global__ void one() {}\nnamespace n {\ntemplate <class T>\n"
                                 "__global__ void\ntwo(T x) {}\n}\n";
    struct smc_source_tree tree = {0};
    struct smc_inspect_kernels kernels = {0};
    const struct smc_inspect_kernel kind = {.file = "x.cu", .cc = 90};
    struct smc_error error;
    CU_ASSERT(smc_user_kernels_add(&kernels, "_ZN1n3twoIiEEvT_", 16, &kind));
    CU_ASSERT(smc_user_kernels_add(&kernels, "_Z3onev", 7, &kind));
    CU_ASSERT_EQUAL(smc_source_tree_read("x.cu", source, "", "", &tree, &error), SMC_OK);
    CU_ASSERT(smc_user_kernels_locate(&kernels, 0, &tree));
    CU_ASSERT_EQUAL(kernels.item[0].source_line, 6);
    CU_ASSERT_EQUAL(kernels.item[1].source_line, 2);
    CU_ASSERT_STRING_EQUAL(kernels.item[1].source_file, "x.cu");
    smc_source_tree_free(&tree);
    smc_user_kernels_free(&kernels);
}

/* Pieces of C++ in random order: nothing is read beyond the end, and lines are kept. */
static void test_random(void)
{
    static const char *const pieces[] = {
        "{",          "}",          "(",           ")",          "<",        ">",
        ";",          "\n",         "#if 0\n",     "#else\n",    "#endif\n", "#define A(x) x<x>\n",
        "template <", "class ",     "struct k",    "k",          "A(",       "::",
        "\"",         "'",          "R\"(",        ")\"",        "/*",       "*/",
        "//",         "\\\n",       "__global__ ", "void ",      "<<<",      ">>>",
        "=",          "namespace ", "operator",    "typename T", ",",        "#include \"x\"\n",
        "\x80",       "\\",         "constexpr ",  "using "};
    unsigned seed = 1;
    for (int round = 0; round < 3000; round++) {
        struct smc_text source = {0}, text;
        struct smc_device_part part;
        for (int i = 0; i < 60; i++) {
            seed = seed * 1103515245u + 12345u;
            smc_text_append(&source, pieces[(seed >> 16) % (sizeof pieces / sizeof *pieces)]);
        }
        char *exact = strdup(smc_text_string(&source)); /* sanitizers see its end */
        read_part(exact, &part, &text);
        smc_text_free(&text);
        smc_device_part_free(&part);
        smc_text_free(&source);
        free(exact);
    }
}

CU_TestInfo tests_host_code[] = {
    {"what is kept", test_kept},
    {"brackets of a piece", test_brackets_of_a_piece},
    {"instances that the host launches", test_instances},
    {"instances that a macro's parameter names", test_named_by_parameter},
    {"instances with local aliases", test_local_aliases},
    {"instances in members of class templates", test_members},
    {"instances in overloads of members", test_overloads},
    {"calls that launch kernels of Thrust and CUB", test_library_calls},
    {"headers beside the file that includes them", test_beside},
    {"source lines of kernels", test_lines},
    {"random text", test_random},
    CU_TEST_INFO_NULL,
};
