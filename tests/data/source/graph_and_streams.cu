// Streams, events, graphs, RAII and lambdas around two kernels.
#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>
struct StreamDeleter { void operator()(CUstream_st *s) const { cudaStreamDestroy(s); } };
using Stream = std::unique_ptr<CUstream_st, StreamDeleter>;
template <typename F> auto timed(F &&f) -> decltype(f()) { auto t = std::chrono::steady_clock::now(); (void)t; return f(); }
static std::mutex lock;
static std::atomic<int> counter{0};
__global__ void first(float *x) { x[threadIdx.x] += 1; }
__global__ void second(float *x, float factor) { x[threadIdx.x] *= factor; }
class Graph {
    cudaGraph_t graph_{};
    cudaGraphExec_t exec_{};
public:
    Graph() = default;
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;
    ~Graph() { if (exec_) cudaGraphExecDestroy(exec_); }
    template <typename F> void record(cudaStream_t s, F f)
    {
        cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
        f(s);
        cudaStreamEndCapture(s, &graph_);
    }
};
int main()
{
    std::array<float, 4> a{1, 2, 3, 4};
    cudaStream_t raw;
    cudaStreamCreate(&raw);
    Stream stream(raw);
    Graph g;
    g.record(raw, [&](cudaStream_t s) {
        first<<<1, 128, 0, s>>>(nullptr);
        second<<<1, 128, 0, s>>>(nullptr, a[1]);
    });
    auto f = std::async([] { std::lock_guard<std::mutex> hold(lock); return ++counter; });
    return timed([&] { return f.get(); });
}
