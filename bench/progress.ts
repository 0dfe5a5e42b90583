/** What is going on, on stderr: one line that is replaced on a terminal, lines elsewhere. */
export function progress(text: string, end = false): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}${end ? '\n' : ''}`)
  else if (end) process.stderr.write(`${text}\n`)
}
