// Kills the primary of two Postgres servers under load and counts what is lost: `npm run failover`. Exit code 0: all as it
// has to be; 1: something is not; 3: the part with Patroni was not run, because it is not installed.
import { mkdtempSync, realpathSync, rmSync, chmodSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pairByHand } from './by-hand.ts'
import { missingForPatroni, patroniCluster } from './patroni.ts'
import { underLoad } from './under-load.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-failover-')))
chmodSync(folder, 0o755)
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const notRun = 3
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

async function byHand(): Promise<boolean> {
  say(
    'Two servers of Postgres from npm, replicated synchronously, promoted by hand (pg_promote) a second after the kill',
  )
  const cluster = await pairByHand(join(folder, 'by-hand'))
  try {
    return await underLoad(
      [cluster],
      [{ what: 'kill -9 of the primary', run: () => cluster.killPrimary(), within: 15_000 }],
      say,
    )
  } finally {
    await cluster.close()
  }
}

async function twoPairs(): Promise<boolean> {
  say('\nTwo such pairs, a cell on the second one, and a game that moves to and fro')
  const pairs = [await pairByHand(join(folder, 'directory')), await pairByHand(join(folder, 'cell'))] as const
  try {
    return await underLoad(
      pairs,
      ['of the directory', 'of the cell'].map((whose, n) => ({
        what: `kill -9 of the primary ${whose}`,
        run: () => pairs[n]!.killPrimary(),
        within: 15_000,
      })),
      say,
    )
  } finally {
    await Promise.all(pairs.map((pair) => pair.close()))
  }
}

async function withPatroni(): Promise<boolean> {
  say('\nOne etcd, two Patronis with the Postgres that is installed, synchronous_mode')
  const cluster = await patroniCluster(mkdtempSync(join(folder, 'patroni-')))
  try {
    return await underLoad(
      [cluster],
      [
        { what: 'kill -9 of the primary', run: () => cluster.killPrimary(), within: 15_000 },
        {
          what: 'kill -9 of the primary and its Patroni, as when a machine is lost (ttl 20 s)',
          run: () => cluster.healed().then(() => cluster.killMachine()),
          within: 40_000,
        },
      ],
      say,
    )
  } finally {
    await cluster.close()
  }
}

const missing = missingForPatroni()
let isWell = false
try {
  isWell = await byHand()
  isWell = (await twoPairs()) && isWell
  if (missing === undefined) isWell = (await withPatroni()) && isWell
} finally {
  if (isWell) rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  else say(`Logs and data are in ${folder}`)
}
if (missing !== undefined)
  process.stderr.write(
    `\nNOT RUN: the failover with Patroni. Not installed: ${missing} (docs/operating.md, Failover).\n`,
  )
process.exitCode = !isWell ? 1 : missing === undefined ? 0 : notRun
