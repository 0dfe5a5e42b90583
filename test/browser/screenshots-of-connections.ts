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
  const webhookId = await addWebhooks({ system: { database }, studio, gameId })
  await page.goto(`/games/${gameId}/connections`)
  await shoot(page, 'connections')
  const webhooks = `/games/${gameId}/connections/webhooks`
  await page.goto(`${webhooks}/${webhookId}`)
  await shoot(page, 'webhook')
  await page.goto(`${webhooks}/new`)
  await page.getByLabel('Name').fill('Chat of the team')
  await page.getByLabel('Address').fill('https://chat.blue-fox.example/hooks')
  await shoot(page, 'webhook-new')
  await page.getByRole('button', { name: 'Add and show the secret' }).click()
  await page.getByText('Copy it now.').waitFor()
  // of a server that answers to no name
  await page.locator('#secret-text').evaluate((one) => {
    one.textContent = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD4XzWeWbJ5Ns='
  })
  await shoot(page, 'webhook-secret')
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

/** Two webhooks with deliveries in the states that they can have; returns the id of the one with most. */
async function addWebhooks({
  system: { database },
  studio,
  gameId,
}: {
  readonly system: Pick<Played['system'], 'database'>
  readonly studio: Played['studio']
  readonly gameId: string
}): Promise<string> {
  const targets = [
    ['Gradebook', 'https://grades.school.example/hooks', ['statements.stored', 'learner.erased']],
    ['Build robot', 'https://ci.blue-fox.example/hook', ['build.uploaded', 'build.refused', 'review.approved']],
  ] as const
  const ids: string[] = []
  for (const [name, url, events] of targets) {
    const { webhook } = await studio.on().webhooks.addWebhook({ gameId, settings: { name, url, events: [...events] } })
    ids.push(webhook!.webhookId)
  }
  // nothing is sent: only what is shown is there
  await database.sql(
    `update webhook set next_attempt = now() + interval '9 minutes', last_delivered = now() - interval '40 seconds',
      created = now() - interval '3 days',
      problem = case when name = 'Build robot' then 'The receiver answered 503.' else '' end,
      failures = case when name = 'Build robot' then 4 else 0 end where uuid = any ($1)`,
    [ids],
  )
  await database.sql(
    `insert into webhook_delivery (webhook, after, until, filter, statements, created, attempts, first_attempt,
        last_attempt, next_attempt, status, answer, ended, delivered)
      select w.id, w.place - n * 60000000, w.place - (n - 1) * 60000000, '{}', 7 + n * n % 23, at, 1 + n / 4, at, at, at,
        204, '', at, true
      from webhook w, generate_series(6, 1, -1) n, lateral (select now() - n * interval '73 seconds' as at) a
      where w.uuid = $1`,
    [ids[0]],
  )
  const said = [
    ['build.uploaded', 200, true],
    ['build.refused', 503, false],
  ] as const
  for (const [type, status, delivered] of said)
    await database.sql(
      `with e as (insert into webhook_event (game, type, data) select game, $2, '{}' from webhook where uuid = $1
          returning id)
        insert into webhook_delivery (webhook, event, attempts, last_attempt, next_attempt, status, problem, ended, delivered)
        select w.id, e.id, $3, now(), now() + interval '9 minutes', $4, $5, case when $6 then now() end, $6
        from webhook w, e where w.uuid = $1`,
      [ids[1], type, delivered ? 1 : 4, status, delivered ? '' : 'The receiver answered 503.', delivered],
    )
  return ids[0]!
}
