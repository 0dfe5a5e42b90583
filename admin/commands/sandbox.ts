import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SandboxEventSchema, type Launch, type SandboxEvent } from '../../gen/lrs/v1/launches_pb.js'
import { contextOf, environmentOf, launchQuery, shellLines } from '../../shared/launch-context.ts'
import { SettingError } from '../../shared/settings/kinds.ts'
import { endpoint } from '../../shared/settings/own-kinds.ts'
import { readSetting } from '../../shared/settings/settings.ts'
import { runningPorts } from '../../start/running.ts'
import { dataFolder, isHere } from '../config.ts'
import type { CoreClient } from '../core-client.ts'
import { Failed } from '../failed.ts'
import { isCut } from '../failure.ts'
import { jsonOf } from '../json-of.ts'
import { removeLaunchFile, writeLaunchFile } from '../launch-file.ts'
import { gameIdOf } from '../name-game.ts'
import { plain } from '../plain.ts'
import type { Work } from '../command.ts'
import type { Session } from '../session.ts'
import { time } from '../show.ts'

interface Options {
  readonly game: string
  readonly command?: readonly string[]
  readonly learner: string
  readonly file: string
  readonly xapi?: string
  readonly show?: 'env' | 'query'
}

/** Milliseconds before its end at which a session is replaced: a request that is under way keeps its token. */
const renewedBeforeMs = 5 * 60_000
/** Milliseconds without an event after which a stream is opened again: it may be dead. */
const silenceMs = 60_000
/** Milliseconds after the end of the command in which its last calls are shown. */
const lastCallsMs = 1_500
const longestWaitMs = 5_000

/**
 * Opens a sandbox session for a game on this machine, keeps its launch file fresh, and shows each call until Ctrl-C, or
 * until the command ends that it was given.
 */
export const openSandbox: Work<Options> = async (session, { game: named, command = [], learner, file, xapi, show }) => {
  const endpoint = endpointOf(session, xapi)
  const core = await session.connect()
  const gameId = await gameIdOf(core, named)
  let launch = await opened(core, gameId, learner)
  const context = () => contextOf(endpoint, launch)
  if (show === 'query') return { json: { ...context() }, text: `?${launchQuery(context())}` }
  if (show === 'env') return { json: { ...context() }, text: shellLines(environmentOf(context())) }

  const path = resolve(file)
  const over = new AbortController()
  const ending = AbortSignal.any([session.ending, over.signal])

  /** Follows the session until it ends. Before that it opens the next one, which the game finds in the file. */
  async function keep({ sessionId, expires }: Launch): Promise<void> {
    const end = Number(expires) * 1000
    const following = follow({ ...session, ending }, core, sessionId, end)
    const renewing = sleep(end - renewedBeforeMs - Date.now(), undefined, { signal: ending }).then(async () => {
      launch = await opened(core, gameId, learner)
      writeLaunchFile(path, context())
      session.note(`The session is renewed until ${clock(launch.expires)}: ${file} has the new token.`)
      await keep(launch)
    })
    await Promise.all([following, renewing])
  }

  writeLaunchFile(path, context())
  try {
    intro(session, named, launch, path)
    const variables = { ...environmentOf(context()), XAPI_LAUNCH_FILE: path }
    await Promise.race([keep(launch), ...(command.length > 0 ? [runToEnd(command, variables, ending)] : [])])
  } finally {
    over.abort()
    removeLaunchFile(path, context())
    await core.launches.endLaunch({ sessionSecret: launch.sessionSecret }).catch(() => {})
  }
}

/** The endpoint of xAPI for the game. @throws SettingError */
function endpointOf({ env, config }: Session, given: string | undefined): string {
  const named = given ? endpoint.parse('--xapi', given) : readSetting('LRS_XAPI_URL', env)
  if (named !== undefined) return named
  const port = isHere(config().coreUrl) ? (runningPorts(dataFolder(env))?.['GATEWAY_PORT'] ?? 8080) : undefined
  if (port !== undefined) return `http://localhost:${port}/xapi/`
  throw new SettingError(
    'The address of xAPI is not known: name it with --xapi, as https://lrs.example.org/xapi, or set LRS_XAPI_URL.',
  )
}

/** A session of the test learner of this name, who is made if there is none. */
async function opened({ launches }: CoreClient, gameId: string, name: string): Promise<Launch> {
  const { learners } = await launches.listTestLearners({ gameId })
  const known = learners.find((learner) => learner.name === name)
  const who = known ? { learnerId: known.learnerId } : { learnerName: name }
  return (await launches.openSandbox({ gameId, ...who, ownMachine: true })).launch!
}

function intro({ note }: Session, named: string, { learnerName, expires }: Launch, path: string): void {
  note(`Sandbox of ${named}, with the test learner ${learnerName}. The session is renewed before ${clock(expires)}.`)
  note(`The launch context is in ${path}.`)
  note('Godot and Unity find it in the folder of the project. Other games: set XAPI_LAUNCH_FILE to this path.')
  note('Do not commit the file: it holds a token. It is removed when this command ends.')
  note('Each call of the game appears here. End with Ctrl-C.')
}

/** Shows the calls of one session until its end. */
async function follow(
  { ending, json, write }: Session,
  core: CoreClient,
  sessionId: string,
  end: number,
): Promise<void> {
  let after = 0n
  for (let wait = 200; Date.now() < end; wait = Math.min(longestWaitMs, wait * 2)) {
    const silent = new AbortController()
    const timer = setTimeout(() => silent.abort(), silenceMs)
    const signal = AbortSignal.any([ending, silent.signal])
    try {
      for await (const { events } of core.launches.observe({ sessionId, after }, { signal, timeoutMs: 0 })) {
        timer.refresh()
        wait = 200
        for (const event of events) {
          after = event.number
          await write(json ? `${JSON.stringify(jsonOf(SandboxEventSchema, event))}\n` : linesOf(event))
        }
      }
    } catch (error) {
      if (ending.aborted || !isCut(error)) throw error
    } finally {
      clearTimeout(timer)
    }
    await sleep(wait, undefined, { signal: ending })
  }
}

/** One line for a call, one more for each warning. */
function linesOf({ at, request, status, message, path, rejected, warnings }: SandboxEvent): string {
  const when = new Date(Number(at)).toISOString().slice(11, 19)
  const what = rejected && path !== '' && !message.startsWith(path) ? `${path}: ${message}` : message
  const line = `${when}  ${rejected ? 'REJECTED ' : ''}${status}  ${request}  ${what}`
  const more = warnings.map(({ statement, text }) => `          warning  statements[${statement}]: ${text}`)
  return [line, ...more].map((text) => `${plain(text).replaceAll('\n', ' ')}\n`).join('')
}

/** Runs the command, then waits for its last calls. @throws Failed */
async function runToEnd(
  command: readonly string[],
  variables: Record<string, string>,
  ending: AbortSignal,
): Promise<void> {
  try {
    await run(command, variables, ending)
  } finally {
    await sleep(lastCallsMs, undefined, { signal: ending }).catch(() => {})
  }
}

/** Runs the command of the developer with the launch context in its environment. @throws Failed */
function run(
  [name, ...args]: readonly string[],
  variables: Record<string, string>,
  ending: AbortSignal,
): Promise<void> {
  // not the Node that this command runs on, but the one of the developer
  const { LRS_BOOTSTRAP_PATH: path, LRS_BOOTSTRAP_PARENT: _, ...own } = process.env
  const env = { ...own, ...(path !== undefined && { PATH: path }), ...variables }
  const child = spawn(name!, args, { stdio: 'inherit', env, signal: ending })
  return new Promise((done, fail) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (!ending.aborted) fail(new Failed(`${name} cannot be started: ${error.code}.`))
    })
    child.once('exit', (code, signal) => {
      if (code === 0) done()
      else fail(new Failed(`${name} ended with ${code === null ? signal : `code ${code}`}.`))
    })
  })
}

const clock = (seconds: bigint): string => `${time(seconds).slice(11)} UTC`
