// Pictures of the connections of a game: a part of `npm run screenshots`.
import type { Page } from 'playwright-core'
import type { Played, Shoot } from './screenshots-of-learners.ts'

/** Forwards in the states that they can have: nothing is sent to these addresses. */
export async function shootConnections(
  { system: { database }, studio, gameId }: Pick<Played, 'system' | 'studio' | 'gameId'>,
  page: Page,
  shoot: Shoot,
): Promise<void> {
  const targets = [
    ['LRS of the school', 'https://lrs.school.example/xapi', {}],
    ['Research group', 'https://data.university.example/xapi', { pseudonyms: true, bare: true }],
    ['Our warehouse', 'https://warehouse.blue-fox.example/xapi', {}],
  ] as const
  const ids: string[] = []
  for (const [name, endpoint, more] of targets) {
    const { forward } = await studio.on().forwards.addForward({
      gameId,
      settings: { name, endpoint, version: '1.0.3', attachments: !('pseudonyms' in more), ...more },
      credential: { kind: { case: 'basic', value: { user: 'star-trail', password: 'secret' } } },
    })
    ids.push(forward!.forwardId)
  }
  const states = [
    "sent = 4812, failures = 0, problem = '', idle = true, last_sent = now() - interval '12 seconds'",
    `sent = 3904, failures = 0, problem = '', idle = false, last_sent = now() - interval '3 seconds',
      through = through - 754000000`,
    `sent = 4120, failures = 7, problem = 'The target answered 503 Service Unavailable', idle = false,
      last_sent = now() - interval '2 hours', through = through - 7320000000`,
  ]
  for (const [n, state] of states.entries())
    await database.sql(
      `update forward set ${state}, leased = null, attempts = attempts + 1, next_attempt = now() + interval '9 minutes'
        where uuid = $1`,
      [ids[n]],
    )
  await database.sql(
    `insert into forward_set_aside (forward, stored, statement, reason)
      select f.id, s.stored, s.id, 'The target answered 400: result.extensions: the key is not an IRI'
      from forward f join lateral (
        select stored, id from statement where game = f.tenant order by stored desc limit 2) s on true
      where f.uuid = $1`,
    [ids[1]],
  )
  await page.goto(`/games/${gameId}/connections`)
  await shoot(page, 'connections')
  await page.goto(`/games/${gameId}/connections/forwards/${ids[1]!}`)
  await shoot(page, 'forward')
  await page.goto(`/games/${gameId}/connections/forwards/new`)
  await page.getByLabel('Name', { exact: true }).fill('LRS of the school')
  await page.getByLabel('Endpoint').fill('https://lrs.school.example/xapi')
  await page.getByLabel('User name', { exact: true }).fill('star-trail')
  await page.getByLabel('Password', { exact: true }).fill('secret')
  await page.getByLabel('Pseudonyms in place of learners').check()
  await page.getByRole('button', { name: 'Test' }).click()
  await page.locator('#tested .notice').waitFor()
  await shoot(page, 'forward-new', '#tested')
}
