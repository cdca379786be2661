/* Included by stacks.cu, to have a place in another file. */
template <class T> struct Cell {
    T *at;
    __device__ T get(int i) const
    {
        return at[i]; // [get]
    }
};
