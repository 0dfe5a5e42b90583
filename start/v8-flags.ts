/**
 * How V8 collects garbage in our processes. Bytes pass through them, and V8 counts those outside of its heap like an old
 * generation that grows: one that may grow by little is collected again and again for the sake of buffers that a small
 * young generation frees at no cost. One of 16 MB, V8's own, is collected too seldom for that, and an old one that grows
 * to four times what is in use takes memory. Measured in docs/performance.md; whatever starts a process has these.
 */
export const v8Flags: readonly string[] = ['--max-semi-space-size=4', '--heap-growing-percent=130']
