import { afterAll, beforeAll } from 'vitest'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import { pino } from 'pino'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { GameFactsSchema, type Build } from '../../gen/lrs/v1/games_pb.js'
import { LaunchSchema, type SandboxEventSchema } from '../../gen/lrs/v1/launches_pb.js'
import { createPortal, type RunningPortal } from '../../portal/app.ts'
import { build, failure, game, portalConfig, session, stubCore, studio, summary } from './stub-core.ts'

export const hostile = '<img src=x onerror=alert(1)>"\'&'
export const learnerId = '33333333-3333-4333-8333-333333333333'
export const sessionId = '44444444-4444-4444-8444-444444444444'
export const launch = create(LaunchSchema, {
  sessionId,
  sessionSecret: 's'.repeat(43),
  token: 'a.b.c',
  registration: sessionId,
  activityId: 'https://x.example/games/1',
  buildId: build.buildId,
  gameId: summary().gameId,
  learnerName: hostile,
  expires: BigInt(Math.floor(Date.now() / 1000) + 7_200),
  sandbox: true,
  actor: JSON.stringify({
    objectType: 'Agent',
    name: hostile,
    account: { homePage: 'https://x.example/learners', name: learnerId },
  }),
})
export const statement = (name: string) =>
  JSON.stringify({
    actor: { name: 'Ada' },
    verb: { id: 'http://adlnet.gov/expapi/verbs/completed' },
    object: { id: 'https://x.example/l', definition: { name: { en: name } } },
  })
const facts = create(GameFactsSchema, { subject: 'maths', ageFrom: 8, ageTo: 10, languages: ['de'], minutes: 20 })
/** What the sandbox session sent. */
export const events: MessageInitShape<typeof SandboxEventSchema>[] = [
  {
    number: 1n,
    at: 1_763_700_000_000n,
    request: 'POST /xapi/statements',
    status: 200,
    message: 'stored',
    statements: 2,
    body: `[${statement('Level {1}')},${statement(hostile)},{"cut":"o`,
  },
  {
    number: 2n,
    at: 1_763_700_001_000n,
    request: 'POST /xapi/statements',
    status: 400,
    rejected: true,
    reason: 'INVALID',
    message: `must not be ${hostile}`,
    path: 'statements[1].verb.id',
    body: `[${statement('fine')},{"verb":"wrong one"}]`,
  },
  {
    number: 3n,
    at: 1_763_700_002_000n,
    request: 'PUT /xapi/activities/state',
    status: 204,
    message: 'Kept the document star-trail',
    body: hostile,
  },
]
/** What core was asked to start and to end, and whose own data it was asked for. */
export const started: unknown[] = []
export const ended: string[] = []
export const asked: string[] = []
/** What a test changes, and restores. */
export const given: {
  build: Build
  /** What differs in a session of learners. */
  played: { sandbox: boolean; gameId?: string }
  /** Sites that may show the game. */
  parents: string[]
  isolated: boolean
} = { build, played: { sandbox: false }, parents: [], isolated: false }

const core = stubCore({
  ownData: {
    getOwnData: ({ proof }) => {
      asked.push(proof!.learnerToken || proof!.sessionSecret)
      return { known: { learner: { name: 'Ada' } } }
    },
  },
  games: {
    listPublishedGames: () => ({ games: [summary({ name: hostile, facts })] }),
    reportGame: ({ reason }) => {
      if (reason === '')
        throw failure(Reason.INVALID, 'reason: must be chosen', { path: 'reason', code: Code.InvalidArgument })
      return {}
    },
    getGame: () => ({ game: game() }),
    getPublishedGame: ({ slug }) => {
      if (slug === 'none') throw failure(Reason.NOT_FOUND, 'There is no such game.', { code: Code.NotFound })
      return {
        game: summary({ name: hostile, facts }),
        build: given.build,
        studio,
        player: { embed: given.parents, isolated: given.isolated },
      }
    },
  },
  launches: {
    listTestLearners: () => ({ learners: [{ learnerId, name: hostile }] }),
    openSandbox: () => ({ launch }),
    getSandbox: ({ sessionId: id }) => {
      if (id !== sessionId) throw failure(Reason.NOT_FOUND, 'The session has ended.', { code: Code.NotFound })
      return { launch }
    },
    async *observe({ after }) {
      const statements = events.reduce((sum, event) => sum + (event.statements ?? 0), 0)
      const rejected = events.filter((event) => event.rejected).length
      yield {
        events: events.filter(({ number }) => number! > after),
        kept: { requests: events.length, statements, rejected },
      }
    },
    getInvitation: () => ({ learnerName: hostile }),
    startPlay: (request) => {
      started.push(request)
      if (request.learnerName === '' && request.learnerToken === '' && request.invitation === '')
        throw failure(Reason.INVALID, 'learner_name: must not be empty', {
          path: 'learner_name',
          code: Code.InvalidArgument,
        })
      return { launch, learnerToken: 'token-of-the-learner' }
    },
    getLaunch: ({ sessionSecret }) => {
      if (sessionSecret !== launch.sessionSecret)
        throw failure(Reason.NOT_FOUND, 'The session has ended.', { code: Code.NotFound })
      return { launch: { ...launch, ...given.played } }
    },
    getResult: ({ sessionSecret }) => {
      if (sessionSecret !== launch.sessionSecret)
        throw failure(Reason.NOT_FOUND, 'The session has ended.', { code: Code.NotFound })
      return {
        gameId: summary().gameId,
        learnerName: hostile,
        statements: 2,
        ended: 'terminated',
        endedAgo: 20,
        score: { scaled: 0.5 },
        seconds: 65,
        levels: [{ activityId: 'https://x.example/l', name: JSON.stringify({ en: hostile }) }],
      }
    },
    endLaunch: ({ sessionSecret }) => {
      ended.push(sessionSecret)
      return {}
    },
    createInvitation: () => ({ code: 'the-code' }),
    listInvitations: () => ({ invitations: [{ invitationId: sessionId, learnerName: hostile, used: 2 }] }),
  },
  classes: {
    listClasses: () => ({ classes: [{ classId: sessionId, name: hostile, learners: 2 }] }),
  },
})

interface Asked {
  method?: string
  cookie?: string
  language?: string
  form?: Record<string, string>
}

/** Starts a portal for the tests of a file, and returns what asks it for a page. */
export function startStubPlay() {
  let portal: RunningPortal
  beforeAll(async () => {
    portal = await createPortal(portalConfig({ PLAYER_PORT: '8099' }), { core, log: pino({ level: 'silent' }) })
  })
  afterAll(() => portal.close())
  return async (path: string, { method = 'GET', cookie = '', language = '', form }: Asked = {}) => {
    const at = `http://127.0.0.1:${portal.port}`
    const response = await fetch(at + path, {
      method,
      headers: { cookie, origin: at, 'accept-language': language },
      redirect: 'manual',
      body: form && new URLSearchParams(form),
    })
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location'),
      body: await response.text(),
    }
  }
}
export const studioCookie = `session=${session}`
