/**
 * How V8 collects garbage in our processes. Bytes pass through them, so most of it dies at once: a young generation of
 * 16 MB, V8's own, is collected so seldom that the buffers of answers pile up to whole collections, and the old one may
 * grow to four times what is in use. Measured in docs/performance.md; whatever starts a process has these.
 */
export const v8Flags: readonly string[] = ['--max-semi-space-size=8', '--heap-growing-percent=80']
