# The reports of `smemcalc check` of a made-up fleet: nodes n1, n2, ... with 8 GPUs each, of which GPU 5
# of n10 copies 5 % slower.   awk -v gpus=10000 -v seed=1 -f checks.awk
function noise() { return sqrt(-2 * log(rand() + 1e-12)) * cos(6.2831853 * rand()) }
BEGIN {
    srand(seed)
    for (i = 0; i < gpus; i++) {
        if (i % 8 == 0) {
            if (i) print "]}"
            n = i / 8 + 1
            printf "{\"schema\":\"smemcalc/1\",\"command\":\"check\",\"host\":\"node%d\",\"node\":\"n%d\",\"rank\":%d,\"time\":\"2026-11-26T19:00:00Z\",\"verdict\":\"healthy\",\"elapsed_s\":4.2,\"gpus\":[", n, n, n - 1
        } else printf ","
        slow = i == 77 ? 0.95 : 1
        printf "{\"gpu_index\":%d,\"gpu_uuid\":\"GPU-%08x-1111-2222-3333-444455556666\",\"pci_bus_id\":\"0000:1a:00.0\",\"name\":\"NVIDIA H200\",\"compute_capability\":\"9.0\",\"driver\":\"580.159.04\",\"mode\":\"whole\",\"verdict\":\"healthy\",\"error\":null,\"elapsed_s\":3.9,\"tests\":[{\"name\":\"sms\",\"verdict\":\"pass\",\"expected\":132,\"seen\":132,\"unit\":\"SMs\",\"detail\":\"\"},{\"name\":\"results\",\"verdict\":\"pass\",\"expected\":12,\"seen\":12,\"unit\":\"kernels\",\"detail\":\"\"},{\"name\":\"residency\",\"verdict\":\"pass\",\"expected\":8,\"seen\":8,\"unit\":\"blocks\",\"detail\":\"\"}],\"figures\":{\"copy_bytes_per_s\":%.6g,\"read_bytes_per_s\":%.6g,\"fma_flops\":%.6g,\"launch_ms\":%.6g},\"faults\":[]}", i % 8, i, 4.1e12 * slow * (1 + .004 * noise()), 4.5e12 * (1 + .004 * noise()), 6.5e13 * (1 + .003 * noise()), 1.2 * (1 + .004 * noise())
    }
    print "]}"
}
