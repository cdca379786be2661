// Members of class templates launch kernels: only those that are used are instantiated.
template <class T, int N> __global__ void set(T *x) { x[threadIdx.x] = N; }

struct Plain {
    void uncalled(int *p) { set<int, 1><<<1, 1>>>(p); } // compiled, as it is no template
};

template <class T> void uncalled_template(T *p) { set<T, 2><<<1, 1>>>(p); }

template <class T> class Buffer {
public:
    Buffer() { set<T, 3><<<1, 1>>>(data); }
    virtual ~Buffer() { set<T, 4><<<1, 1>>>(data); }
    void fill() { helper(); }
    void uncalled() { set<T, 5><<<1, 1>>>(data); }
    static void reset(T *x) { set<T, 6><<<1, 1>>>(x); }
    T *data = nullptr;

private:
    void helper() { set<T, 7><<<1, 1>>>(data); }
};

template <class T> class Outside {
public:
    Outside(int n);
    T operator()();
    void called();
    void uncalled();
};
template <class T> Outside<T>::Outside(int) { set<T, 8><<<1, 1>>>((T *)nullptr); }
template <class T> T Outside<T>::operator()() { set<T, 9><<<1, 1>>>((T *)nullptr); return 0; }
template <class T> void Outside<T>::called() { set<T, 10><<<1, 1>>>((T *)nullptr); }
template <class T> void Outside<T>::uncalled() { set<T, 11><<<1, 1>>>((T *)nullptr); }
template class Outside<float>;

struct Owner {
    Outside<short> *pointer;
    Buffer<int> *never;
    Buffer<double> b;
    void clear();
};
void Owner::clear() { b.fill(); }

Owner global;
void host(Owner &o, long *p)
{
    o.pointer->called();
    o.clear();
    Buffer<long>::reset(p);
}
