const graceMs = 3000

/**
 * Ends this process when its parent has ended, in whatever way. `npm start` holds a pipe to the stdin of each of its
 * processes and sets LRS_PARENT_PIPE=1; without that this does nothing. `close` may take 3 s.
 */
export function stopWithParent(close: () => Promise<void> | void): void {
  if (process.env['LRS_PARENT_PIPE'] !== '1') return
  let closing = false
  const leave = (): void => {
    if (closing) return
    closing = true
    // the reader of the output has ended, too
    process.stdout.on('error', () => {})
    process.stderr.on('error', () => {})
    setTimeout(() => process.exit(1), graceMs).unref()
    void Promise.resolve()
      .then(close)
      .finally(() => process.exit(0))
  }
  process.stdin.on('end', leave).on('close', leave).on('error', leave).resume()
  // the pipe alone does not keep the process alive
  if ('unref' in process.stdin) process.stdin.unref()
}
