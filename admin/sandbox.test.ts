import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Code, ConnectError } from '@connectrpc/connect'
import { Command } from 'commander'
import { afterEach, expect, test, vi } from 'vitest'
import { openSandbox } from './commands/sandbox.ts'
import type { CoreClient } from './core-client.ts'
import type { Session } from './session.ts'

const folder = mkdtempSync(join(tmpdir(), 'lrs-sandbox-'))
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** A session is renewed five minutes before it ends: the first one soon, the second one never. */
const lengths = [5 * 60 + 1, 2 * 60 * 60]

test('the session is renewed before it ends, and the launch file has the new token', async () => {
  const ended: string[] = []
  let opened = 0
  const launches = {
    listTestLearners: async () => ({ learners: [{ learnerId: 'l1', name: 'Developer' }] }),
    openSandbox: async () => ({
      launch: {
        sessionId: `s${++opened}`,
        sessionSecret: `secret${opened}`,
        token: `token${opened}`,
        actor: '{}',
        registration: `r${opened}`,
        activityId: 'https://games.example/chess',
        learnerName: 'Developer',
        expires: BigInt(Math.ceil(Date.now() / 1000) + lengths[opened - 1]!),
      },
    }),
    // a stream without events that ends with its signal
    observe: (_: object, { signal }: { signal: AbortSignal }) =>
      (async function* () {
        yield { events: [] }
        await new Promise((_, fail) =>
          signal.addEventListener('abort', () => fail(new ConnectError('aborted', Code.Canceled))),
        )
      })(),
    endLaunch: async ({ sessionSecret }: { sessionSecret: string }) => void ended.push(sessionSecret),
  }
  const notes: string[] = []
  const over = new AbortController()
  const session: Session = {
    env: {},
    ending: over.signal,
    json: false,
    command: new Command(),
    config: () => ({ coreUrl: 'http://127.0.0.1:1', token: '', tokenFrom: '', isOwn: true }),
    connect: async () => ({ launches }) as unknown as CoreClient,
    write: async () => {},
    note: (line) => void notes.push(line),
  }
  const file = join(folder, 'launch.json')
  const options = { learner: 'Developer', file, xapi: 'http://localhost:8080/xapi' }
  const gameId = '00000000-0000-4000-8000-000000000000'
  const running = openSandbox(session, { game: gameId, ...options })
  const failure = running?.then(
    () => undefined,
    (error: Error) => error.name,
  )
  const authIn = (): string => JSON.parse(readFileSync(file, 'utf8')).auth
  await vi.waitFor(() => expect(authIn()).toBe('Bearer token1'))
  await vi.waitFor(() => expect(authIn()).toBe('Bearer token2'), 5_000)
  expect(notes.filter((line) => line.startsWith('The session is renewed until '))).toHaveLength(1)
  over.abort()
  expect(await failure).toBeDefined()
  expect(ended).toEqual(['secret2'])
})
