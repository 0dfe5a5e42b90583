import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashSecret, newSecret } from '../../core/process/secret.ts'
import type { CoreClient } from '../support/core-client.ts'
import { reasonOf } from '../support/failures.ts'
import { startLaunches, type Launches } from '../support/launches.ts'
import { tokens } from '../support/system.ts'
import { bearer } from '../support/xapi.ts'

let launches: Launches
beforeAll(async () => {
  launches = await startLaunches()
})
afterAll(() => launches.system.close())

/** A developer of the first studio, signed in. */
async function developer(): Promise<{ account: number; on: CoreClient }> {
  const { system, fox } = launches
  const session = newSecret()
  const [row] = await system.database.sql<{ account: number }>(
    `with a as (insert into account (email) values ($1) returning id),
      m as (insert into member (studio, account, role) select $2, id, 'developer' from a)
    insert into studio_session (hash, account, studio, expires)
    select $3, id, $2, now() + interval '1 hour' from a returning account`,
    [`${session.slice(0, 8)}@example.org`, fox.id, hashSecret(session)],
  )
  return { account: row!.account, on: system.connections[0]!.as(bearer(tokens.portal), { 'x-lrs-session': session }) }
}

/** How a stream ends, and whether it has begun. */
function watch(stream: AsyncIterable<unknown>) {
  let messages = 0
  const ended = (async () => {
    for await (const _ of stream) messages++
  })()
  return { ended: reasonOf(ended), begun: () => messages > 0 }
}

test('open streams end with the membership, and with the personal token', async () => {
  const { system, fox, game, sandbox } = launches
  const { account, on } = await developer()
  const { key } = (await fox.on().games.getGame({ gameId: game.id })).game!.credential!
  const { sessionId } = await sandbox()
  const tokenOf = (core: CoreClient) => core.tokens.createToken({ name: 'CI', scopes: ['read'], days: 1 })
  const [mine, revoked] = [await tokenOf(on), await tokenOf(fox.on())]
  const signal = AbortSignal.timeout(20_000)
  const follow = (token: string) =>
    watch(
      system.connections[0]!.as(bearer(token), { 'x-lrs-credential': key }).statements.follow(
        { start: { case: 'fromNow', value: true } },
        { signal },
      ),
    )
  const streams = [follow(mine.token), follow(revoked.token), watch(on.launches.observe({ sessionId }, { signal }))]
  for (const { begun } of streams) await expect.poll(begun).toBe(true)
  await fox.on().tokens.revokeToken({ tokenId: revoked.tokenId })
  await system.database.sql('delete from member where account = $1', [account])
  expect(await Promise.all(streams.map(({ ended }) => ended))).toEqual([
    'UNAUTHENTICATED',
    'UNAUTHENTICATED',
    'FORBIDDEN',
  ])
})
