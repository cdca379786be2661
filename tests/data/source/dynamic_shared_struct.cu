// Structures with constructors, initializer lists, unions, nested types and statics.
#include <initializer_list>
#include <ostream>
#include <vector>
#include <cuda_runtime.h>
struct Vec3 {
    float v[3];
    Vec3() = default;
    __host__ __device__ Vec3(float x, float y, float z) : v{x, y, z} {}
    Vec3(std::initializer_list<float> l) { int i = 0; for (float f : l) v[i++] = f; }
    __host__ __device__ Vec3 operator-() const { return Vec3(-v[0], -v[1], -v[2]); }
    __host__ __device__ friend Vec3 operator+(const Vec3 &a, const Vec3 &b) { return Vec3(a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2]); }
    friend std::ostream &operator<<(std::ostream &o, const Vec3 &x) { return o << x.v[0]; }
    std::vector<float> list() const { return {v[0], v[1], v[2]}; }
    static Vec3 parse(const char *text);
};
Vec3 Vec3::parse(const char *) { return Vec3{1, 2, 3}; }
class Ray {
public:
    struct Hit { float t; int id; };
    __device__ Ray(const Vec3 &o, const Vec3 &d) : origin(o), direction(d) {}
    __device__ Hit trace(float t) const;
private:
    Vec3 origin, direction;
};
__device__ Ray::Hit Ray::trace(float t) const { return Hit{t * direction.v[0] + origin.v[1], 1}; }
__global__ void render(Vec3 camera, Ray::Hit *hits)
{
    Ray r(camera + Vec3(0, 0, 1), -camera);
    hits[threadIdx.x] = r.trace(threadIdx.x * 0.1f);
}
int main() { render<<<1, 64>>>(Vec3::parse(""), nullptr); }
