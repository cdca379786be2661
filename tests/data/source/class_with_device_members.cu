// A matrix class with host and device members, used by value in a kernel.
#include <cassert>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#ifdef __CUDACC__
#define HD __host__ __device__ __forceinline__
#else
#define HD inline
#endif

class Matrix
{
public:
    Matrix(int rows, int cols) : rows_(rows), cols_(cols), data_{nullptr}
    {
        if (cudaMalloc(&data_, sizeof(float) * rows * cols) != cudaSuccess)
            throw std::runtime_error("no memory: " + std::to_string(rows));
    }
    static Matrix from(const std::vector<float> &values, int cols);
    HD float &at(int r, int c) { return data_[r * cols_ + c]; }
    HD float at(int r, int c) const { return data_[r * cols_ + c]; }
    HD int rows() const { return rows_; }
    HD int cols() const { return cols_; }
    std::string name() const { return "matrix"; }
    friend std::ostream &operator<<(std::ostream &out, const Matrix &m);

private:
    int rows_, cols_;
    float *data_;
};

Matrix Matrix::from(const std::vector<float> &values, int cols)
{
    Matrix m((int)values.size() / cols, cols);
    cudaMemcpy(m.data_, values.data(), values.size() * 4, cudaMemcpyHostToDevice);
    return m;
}

class Timer
{
    cudaEvent_t start_, stop_;
    std::unique_ptr<int> unused;

public:
    Timer() { cudaEventCreate(&start_); }
    ~Timer() { cudaEventDestroy(start_); }
};

__global__ void transpose(const Matrix in, Matrix out)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    assert(x >= 0);
    if (x < in.cols() && y < in.rows())
        tile[threadIdx.y][threadIdx.x] = in.at(y, x);
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    if (x < out.cols() && y < out.rows())
        out.at(y, x) = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    Timer t;
    Matrix a(64, 64), b(64, 64);
    dim3 block(32, 32), grid(2, 2);
    transpose<<<grid, block>>>(a, b);
    return cudaDeviceSynchronize();
}
