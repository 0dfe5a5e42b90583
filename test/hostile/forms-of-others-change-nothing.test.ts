import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MemberRole } from '../../gen/lrs/v1/members_pb.js'
import { Channel, UploadKind } from '../../gen/lrs/v1/uploads_pb.js'
import { csrfToken } from '../../portal/web/session-cookie.ts'
import { eventually } from '../../start/fixtures/launch.ts'
import { portalAddresses } from '../support/portal-addresses.ts'
import { startPortalSystem, type PortalSystem } from '../support/portal.ts'
import { statement } from '../support/statements.ts'
import { addStudio, type Studio } from '../support/studios.ts'
import { bearer, xapiClient } from '../support/xapi.ts'
import { rawZip } from '../support/zip.ts'

let system: PortalSystem
let owner: Studio
let stranger: Studio
let school: Studio
let otherSchool: Studio
/** What the owner has, by the names in addresses; `:id` is that of a game, if its address says nothing else. */
let ids: Record<string, string>
/** The learner of the owner's sandbox. */
let agent: string

beforeAll(async () => {
  system = await startPortalSystem()
  owner = await system.studio('Blue Fox')
  stranger = await system.studio('Owl')
  school = await addStudio(system, 'Hill School', { kind: 'school' })
  otherSchool = await addStudio(system, 'Lake School', { kind: 'school' })
  const { uploads, launches, classes } = owner.on()
  const { gameId, slug } = await system.publish(owner, 'Quiz')
  const zip = (content: string) => rawZip([{ name: 'index.html', content }])
  const { games } = owner.on()
  const update = await system.upload(owner, UploadKind.BROWSER_BUILD, 'quiz.zip', zip('two'), gameId)
  await games.submitForReview({ gameId })
  await system.admin.games.decideReview({ gameId, buildId: update, approved: true })
  const beta = { channel: Channel.BETA }
  await system.upload(owner, UploadKind.BROWSER_BUILD, 'quiz.zip', zip('beta'), gameId, beta)
  const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000040000000400806000000', 'hex')
  const file = await system.upload(owner, UploadKind.GALLERY_IMAGE, 'cover.png', png, gameId)
  const { upload } = await uploads.requestUpload({
    gameId,
    kind: UploadKind.GALLERY_IMAGE,
    fileName: 'other.png',
    size: 100n,
  })
  const { launch } = await launches.openSandbox({ gameId, learnerName: 'Ann', live: true })
  agent = launch!.actor
  const statementId = randomUUID()
  await xapiClient(system.urls[0]!, bearer(launch!.token)).post(statement({ id: statementId }))
  const events = () =>
    system.database.sql<{ events: string }>('select events from launch where uuid = $1', [launch!.sessionId])
  await eventually(
    async () => (await events())[0]!.events === '1',
    () => 'the event of the sandbox session',
  )
  await launches.createInvitation({ gameId, learnerName: 'Ben' })
  const { classId } = await classes.createClass({ gameId, name: '4b', nicknames: 2 })
  const { invitations } = await launches.listInvitations({ gameId })
  const [message] = await system.database.sql<{ uuid: string }>(
    `insert into studio_message (studio, uuid, sender_name, sender_email, message) values ($1, gen_random_uuid(), ` +
      `'Eve', 'eve@example.org', 'Hello') returning uuid`,
    [owner.id],
  )
  const [member] = await system.database.sql<{ uuid: string }>(
    `with a as (insert into account (email) values ('member@example.org') returning id, uuid),
      m as (insert into member (studio, account, role) select $1, id, 'developer' from a)
    select uuid from a`,
    [owner.id],
  )
  const [request] = await system.database.sql<{ uuid: string }>(
    `insert into erasure_request (game, learner, due)
    select game, uuid, now() + interval '7 days' from learner where name = 'Ben' returning uuid`,
  )
  const { exports } = owner.on()
  const { export: asked } = await exports.startExport({ gameId })
  await eventually(
    async () => (await exports.getExport({ exportId: asked!.exportId })).export!.ended > 0n,
    () => 'the file of statements',
  )
  const { forwards } = owner.on()
  const { forward } = await forwards.addForward({
    gameId,
    settings: { name: 'School', endpoint: 'http://127.0.0.1:9/xapi', version: '1.0.3' },
  })
  // its row changes only if somebody changes it
  await forwards.pauseForward({ forwardId: forward!.forwardId, paused: true })
  const { webhook } = await owner.on().webhooks.addWebhook({
    gameId,
    settings: { url: 'http://127.0.0.1:9/hooks', events: ['review.approved'] },
  })
  const { webhookId } = webhook!
  const { deliveryId } = await owner.on().webhooks.testWebhook({ webhookId })
  await owner.on().members.inviteMember({ role: MemberRole.ANALYST })
  const { invitations: open } = await owner.on().members.listMembers({})
  const { schools, lessons } = school.on()
  const schoolClass = (await schools.createSchoolClass({ name: '4b', pupilNames: ['Ada'] })).classId
  const { pupils } = await schools.getSchoolClass({ classId: schoolClass })
  const { lesson } = await lessons.openLesson({ classId: schoolClass, gameSlug: slug, senderIp: '192.0.2.1' })
  const lms = 'https://lms.example'
  const { platformId } = await school.on().lti.addPlatform({
    platform: { name: 'Moodle', issuer: lms, clientId: 'c1', loginUrl: lms, tokenUrl: lms, jwksUrl: lms },
  })
  ids = {
    platform: platformId,
    schoolClass,
    pupil: pupils[0]!.pupilId,
    lesson: lesson!.lessonId,
    game: gameId,
    file,
    upload: upload!.uploadId,
    session: launch!.sessionId,
    statement: statementId,
    invitation: invitations[0]!.invitationId,
    class: classId,
    message: message!.uuid,
    member: member!.uuid,
    request: request!.uuid,
    export: asked!.exportId,
    webhook: webhookId,
    forward: forward!.forwardId,
    delivery: deliveryId,
    link: open[0]!.invitationId,
    slug,
    kind: 'files',
    name: 'cover.png',
    page: 'progress',
    chart: 'funnel',
  }
})
afterAll(() => system.close())

// who opens the link of a weekly mail has no session: its signature is the key
// and what an installed game asks for has its secret, and reads no session
const unformed = new Set(['/mail/weekly', '/device/code', '/device/token', '/lti/login/:school', '/lti/launch'])
const changing = portalAddresses.filter(([method, address]) => method !== 'GET' && !unformed.has(address))
// an invitation of a member is for the one who has its code; providers of sign-ins and launches belong to nobody
const named = portalAddresses.filter(
  ([, address]) => /:(?!slug|code)/.test(address) && !/^\/(sign-in\/with|lti|lti-play)\//.test(address),
)

/** Pages of a school are for its members, all others for those of a studio. */
const isOfSchool = (address: string): boolean => /^\/(classes|lessons|platforms)\//.test(address)

const pathOf = (address: string): string => {
  const own = /^\/(messages|uploads|lessons)\//.exec(address)?.[1]
  return (isOfSchool(address) ? address.replace(':class', ':schoolClass') : address)
    .replaceAll(/[{}]/g, '')
    .replaceAll(/:(\w+)/g, (_, name: string) => ids[name === 'id' ? (own?.slice(0, -1) ?? 'game') : name]!)
}

async function send(
  method: string,
  address: string,
  { session }: Studio,
  { csrf = csrfToken(session), origin = system.url } = {},
): Promise<number> {
  const form = {
    csrf,
    name: 'Taken',
    text: 'Taken',
    learner_name: 'Eve',
    ids: ids['message']!,
    decision: 'approve',
    state: '1',
    kind: 'gallery-image',
    file_name: 'a.png',
    seat: ids['message']!,
    size: '9',
  }
  const response = await fetch(system.url + pathOf(address), {
    method,
    redirect: 'manual',
    headers: { cookie: `session=${session}`, origin, 'content-type': 'application/x-www-form-urlencoded', csrf },
    body: method === 'GET' ? undefined : new URLSearchParams(form),
  })
  await response.body?.cancel()
  return response.status
}

/** All that the owner has. */
async function everything(): Promise<unknown[]> {
  const tables = {
    game: 'studio',
    upload: 'studio',
    studio_message: 'studio',
    studio_session: 'studio',
    studio: 'id',
    member: 'studio',
    member_invitation: 'studio',
  }
  const mine = Object.entries(tables).map(([table, column]) =>
    system.database.sql(`select * from ${table} where ${column} = $1`, [owner.id]),
  )
  const ofGames = ['game_file', 'build', 'class', 'invitation', 'launch', 'forward'].map((table) =>
    system.database.sql(`select t.* from ${table} t join game g on g.id = t.game where g.studio = $1`, [owner.id]),
  )
  const ofSchool = ['school_class', 'pupil', 'lesson', 'lti_platform'].map((table) =>
    system.database.sql(`select * from ${table}`),
  )
  return Promise.all([...mine, ...ofGames, ...ofSchool])
}

test('the addresses are found in the code', () => {
  expect(changing.length).toBeGreaterThanOrEqual(100)
  expect(named.length).toBeGreaterThanOrEqual(90)
})

describe('what another studio has', () => {
  test('is not found at any address, and no form changes it', async () => {
    const before = await everything()
    await Promise.all(
      named.map(async ([method, address]) => {
        const others = address.endsWith('/events') ? 204 : address.startsWith('/notifications/') ? 303 : 404
        const wanted = /^\/(reviews|operator)/.test(address) ? 403 : others
        const who = isOfSchool(address) ? otherSchool : stranger
        expect(await send(method, address, who), `${method} ${address}`).toBe(wanted)
      }),
    )
    expect(await send('POST', '/messages/delete', stranger)).toBe(303)
    expect(await everything()).toEqual(before)
  })

  test('is found by its owner: the ids are right', async () => {
    const reading = named.filter(
      ([method, address]) =>
        method === 'GET' &&
        !/^\/(reviews|operator|builds)|\/(events|live|learner\/document|:deletion\/ids)$/.test(address),
    )
    for (const [method, address] of reading) {
      const ofSandbox = /statement|learner\b/.test(address) ? `?${new URLSearchParams({ from: 'sandbox', agent })}` : ''
      const more = address.startsWith('/classes/:class/report')
        ? `?game=${ids['slug']}`
        : address.endsWith('/texts')
          ? '?language=de'
          : ''
      const status = await send(method, `${address}${ofSandbox}${more}`, isOfSchool(address) ? school : owner)
      expect.soft(status, `${method} ${address}`).toBe(200)
    }
  })
})

const forgeries = [
  ['without the token of its page', { csrf: '' }],
  ['with the token of somebody else', { csrf: csrfToken('x'.repeat(43)) }],
  ['from another origin', { origin: 'https://evil.example' }],
] as const

// one check takes all forms: `npm test` sends each form in one of the ways, by turns
test.each(forgeries.map(([how, forged], turn) => [how, forged, turn] as const))(
  'no form is taken %s: each third',
  (_, forged, turn) =>
    refused(
      forged,
      changing.filter((_, n) => n % 3 === turn),
    ),
)
test.for(forgeries)('no form is taken %s', { tags: 'long' }, ([, forged]) => refused(forged, changing))

async function refused(forged: Parameters<typeof send>[3], forms: typeof changing): Promise<void> {
  const before = await everything()
  // the forms after a launch from a learning platform read no session: a token of the launch is the key
  const meant = forged?.origin ? forms : forms.filter(([, address]) => !/^\/lti(-play)?\//.test(address))
  await Promise.all(
    meant.map(async ([method, address]) =>
      expect(await send(method, address, owner, forged), `${method} ${address}`).toBe(403),
    ),
  )
  expect(await everything()).toEqual(before)
}
