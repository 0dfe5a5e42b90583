import { setTimeout as sleep } from 'node:timers/promises'
import { Scope } from '../../gen/lrs/v1/identity_pb.js'
import { addSecondCell } from '../support/cells.ts'
import { databaseAt } from '../support/database.ts'
import type { Game } from '../support/games.ts'
import { startProcesses } from '../support/processes.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'
import { follow } from '../torture/follower.ts'
import { random } from '../torture/random.ts'
import { verify } from '../torture/verify.ts'
import { activityId, learner, ledger, write } from '../torture/writer.ts'
import type { Cluster } from './cluster.ts'

const writers = 8

export interface Blow {
  readonly what: string
  run(): Promise<void>
  /** The longest time without an acknowledged statement that is all right, in milliseconds. */
  readonly within: number
}

/**
 * Two cores and two gateways on the cluster, with writers and a follower, while the blows fall one after the other. With
 * a second cluster, that has a cell: the writers have a game in each, one game moves to and fro, and the follower reads
 * all games.
 */
export async function underLoad(
  [cluster, second]: readonly [Cluster, Cluster?],
  blows: readonly Blow[],
  say: (line: string) => void,
): Promise<boolean> {
  const draw = random(7)
  const processes = await startProcesses({
    cores: 2,
    gateways: 2,
    database: databaseAt(cluster.url),
    env: second ? { LRS_CELL_SERVERS: `east=${second.url}` } : {},
  })
  const { cells } = processes.connections[0]!.as(bearer(tokens.admin))
  const book = ledger()
  let over = false
  let finished = false
  let moves = 0
  try {
    if (second) await addSecondCell(cells, 'east')
    const games = [await processes.game(), ...(second ? [await processes.game()] : [])]
    const reader = second ? await processes.game([Scope.ALL_READ]) : games[0]!
    const gatewaysOf = (game: Game) => [0, 1].map((n) => game.xapi(n))
    const gameOf = (writer: number) => games[writer % games.length]!
    const working = Array.from({ length: writers }, (_, n) =>
      write(gatewaysOf(gameOf(n)), n, draw.fork(n), book, () => over),
    )
    const following = follow(gatewaysOf(reader), draw.fork(writers), () => finished)
    const moving = (async () => {
      for (let n = 0; second && !over; n++, await sleep(500))
        await cells.moveGame({ gameId: games[0]!.id, cell: 2 - (n % 2) }).then(
          () => moves++,
          () => {},
        )
    })()
    let inTime = true
    for (const { what, run, within } of blows) {
      await sleep(4_000)
      say(`${what}, after ${book.statements.size} acknowledged statements`)
      const gap = longestGap(book.statements)
      await run()
      const ms = await gap(within * 3)
      inTime &&= ms <= within
      say(
        `  served again: the longest time without an acknowledged statement was ${(ms / 1000).toFixed(1)} s (at most ${within / 1000} s)`,
      )
    }
    await sleep(4_000)
    over = true
    await Promise.all([...working, moving])
    finished = true
    const followed = await following
    const states = new Map<string, string>()
    for (let n = 0; n < writers; n++) {
      const query = { activityId, agent: learner(n), stateId: `save-${n}` }
      const { status, text } = await gameOf(n).xapi().request('GET', 'activities/state', { query })
      if (status === 200) states.set(query.stateId, text)
    }
    const cell = second && databaseAt(await second.primary())
    const { stored, ...faults } = await verify(databaseAt(await cluster.primary()), book, states, followed, cell)
    say(`  ${book.statements.size} acknowledged, ${stored} stored, ${book.retries} requests sent again, ${moves} moves`)
    say(
      `  ${Object.entries({ ...faults, refused: book.wrong.length })
        .map(([name, count]) => `${name} ${count}`)
        .join(', ')}`,
    )
    for (const line of book.wrong.slice(0, 5)) say(`  wrong answer: ${line}`)
    return inTime && book.wrong.length === 0 && Object.values(faults).every((count) => count === 0)
  } finally {
    over = finished = true
    await processes.close()
  }
}

/** Watches a growing map; the answer waits until it grows again for 2 s, and is the longest time in which it did not. */
function longestGap(growing: ReadonlyMap<string, string>): (most: number) => Promise<number> {
  const began = performance.now()
  let [size, last, longest, calm] = [growing.size, began, 0, began]
  const timer = setInterval(() => {
    const now = performance.now()
    if (growing.size === size) return
    if (now - last > 300) calm = now
    longest = Math.max(longest, now - last)
    ;[size, last] = [growing.size, now]
  }, 5)
  return async (most) => {
    const since = performance.now()
    while (performance.now() - since < most) {
      await sleep(50)
      const now = performance.now()
      if (now - since > 3_000 && now - calm > 2_000 && now - last < 300) break
    }
    clearInterval(timer)
    return Math.max(longest, performance.now() - last)
  }
}
