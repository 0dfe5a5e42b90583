import { setTimeout as sleep } from 'node:timers/promises'
import { Scope } from '../../gen/lrs/v1/identity_pb.js'
import { expectInOrder, follow as stream, missedBy } from './followed.ts'
import { follow, write, writePatiently } from './follower.ts'
import type { Game } from './games.ts'
import { complaints } from './order.ts'
import type { Pair } from './standby.ts'

interface Load {
  readonly writers: number
  /** Each round has every blow. */
  readonly rounds: number
  readonly roundMs: number
}

/** Writers and four followers on two cores, while the standby that answers reads lags, pauses, cancels and dies. */
export async function loadBesideStandby(
  system: { game(scopes?: Scope[]): Promise<Game> },
  pair: Pair,
  { writers, rounds, roundMs }: Load,
): Promise<{ complaints: string[]; acknowledged: number; read: number[] }> {
  const game = await system.game()
  const everything = await system.game([Scope.ALL_READ])
  const stop = new AbortController()
  let last = ''
  let over = false
  const pages = [
    follow(everything.rpc(0), 'since', pair.primary, game.id, stop.signal),
    follow(everything.rpc(1), 'more', pair.primary, game.id, stop.signal),
  ]
  const streams = [stream(everything, 0, stop.signal, () => last), stream(game, 1, stop.signal, () => last)]
  const acknowledged: string[] = []
  const writing = Array.from({ length: writers }, async (_, n) => {
    while (!over) acknowledged.push(...(await writePatiently(game.rpc(n % 2), n, performance.now() + 500)))
  })
  const blows: (() => Promise<unknown>)[] = [
    async () => [await pair.lag(300), await sleep(roundMs), await pair.lag(0)],
    async () => [await pair.pause(), await sleep(roundMs), await pair.resume()],
    () => pair.cancel(20),
    () => pair.freeze(roundMs),
    async () => [await pair.kill(), await sleep(roundMs), await pair.revive()],
  ]
  for (let round = 0; round < rounds; round++)
    for (const blow of blows) {
      await sleep(roundMs)
      await blow()
    }
  await sleep(roundMs)
  over = true
  await Promise.all(writing)
  acknowledged.push(...(await write(game.rpc(), 0, performance.now() + 1)))
  last = acknowledged.at(-1)!
  stop.abort(last)
  const table = await pair.primary.sql<{ id: string; stored: string }>(
    'select s.id, stored from statement s join game g on g.id = s.game where g.uuid = $1 order by stored',
    [game.id],
  )
  const orders = await Promise.all(pages)
  const followed = await Promise.all(streams)
  for (const seen of followed) expectInOrder(seen)
  return {
    acknowledged: acknowledged.length,
    read: [...orders.map(({ seen }) => seen.length), ...followed.map(({ length }) => length)],
    complaints: [
      ...orders.flatMap((order) => complaints(order, acknowledged, table)),
      ...followed.flatMap((seen) =>
        missedBy(seen, acknowledged) > 0 ? [`${missedBy(seen, acknowledged)} missed`] : [],
      ),
    ],
  }
}
