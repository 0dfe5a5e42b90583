/**
 * Flags for the garbage collection of our processes. Bytes pass through them, and V8 counts buffers outside of its heap
 * as growth of the old generation. If that may grow only a little, V8 collects it again and again because of buffers
 * that a small young generation frees at no cost. V8's usual young generation of 16 MB is collected too seldom for
 * that, and an old generation that grows to four times its live data takes memory. Measured in docs/performance.md;
 * every process is started with these flags.
 */
export const v8Flags: readonly string[] = ['--max-semi-space-size=4', '--heap-growing-percent=130']
