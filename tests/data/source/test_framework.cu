// A test file: macros that define functions, and a framework whose header is not there.
#include <gtest/gtest.h>
#include <vector>
__global__ void twice(int *x, int n) { int i = threadIdx.x + blockIdx.x * blockDim.x; if (i < n) x[i] *= 2; }
class TwiceTest : public ::testing::Test {
protected:
    void SetUp() override { cudaMalloc(&d, 1024); }
    void TearDown() override { cudaFree(d); }
    int *d = nullptr;
    std::vector<int> expected;
};
TEST_F(TwiceTest, Doubles)
{
    twice<<<1, 256>>>(d, 256);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    for (int i = 0; i < 3; i++) EXPECT_EQ(expected[i], 2 * i) << "at " << i;
}
INSTANTIATE_TEST_SUITE_P(All, TwiceTest, ::testing::Values(1, 2));
