// An extension: the framework's headers are not there; its dispatch macros take lambdas.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <vector>
template <typename scalar_t> __device__ __forceinline__ scalar_t sigmoid(scalar_t z) { return 1.0 / (1.0 + exp(-z)); }
template <typename scalar_t>
__global__ void lltm_forward_kernel(const scalar_t *__restrict__ gates, scalar_t *__restrict__ out, size_t size)
{
    const int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < size) out[column] = sigmoid(gates[column]) * tanh(gates[column + size]);
}
__global__ void plain_kernel(float *x) { x[threadIdx.x] = 1; }
std::vector<torch::Tensor> lltm_cuda_forward(torch::Tensor input)
{
    auto out = torch::zeros_like(input);
    AT_DISPATCH_FLOATING_TYPES(input.type(), "lltm_forward_cuda", ([&] {
        lltm_forward_kernel<scalar_t><<<1, 1024>>>(input.data<scalar_t>(), out.data<scalar_t>(), 4);
    }));
    return {out};
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &lltm_cuda_forward, "LLTM forward"); }
