// Beside what is tested, on a loop of its own: how long this machine stood still. Loaded by witness.ts.
import { readFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { hrtime } from 'node:process'
import { workerData } from 'node:worker_threads'
import { everyMs, slots, type Shared } from './witness.ts'

const { count, samples, scheduling } = workerData as Shared
const now = (): number => Number(hrtime.bigint() / 1_000n) / 1_000

/** Milliseconds that the thread which is tested could have run, but no processor was given to it; Linux counts them. */
function waited(): number {
  try {
    return Number(readFileSync(scheduling, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

let last = now()
function note(): void {
  const at = now()
  const n = Atomics.load(count, 0)
  samples.set([at, Math.max(0, at - last - everyMs), waited()], (n % slots) * 3)
  Atomics.store(count, 0, n + 1)
  last = at
}

const echo = createServer((socket) => void socket.pipe(socket))
echo.listen(0, '127.0.0.1', () => {
  const socket = connect((echo.address() as AddressInfo).port, '127.0.0.1').setNoDelay()
  socket.on('data', () => {
    note()
    setTimeout(() => socket.write('x'), everyMs)
  })
  socket.write('x')
})
