/**
 * How V8 takes memory in our processes: left to itself it lets garbage of large batches pile up to twice of what they hold
 * (core 374 instead of 215 MiB, docs/performance.md). ops/ names the same.
 */
export const nodeFlags = ['--max-semi-space-size=16', '--heap-growing-percent=40']
