// Two instances of ours: all statements of one are imported into the other by the command line, which is killed (SIGKILL) in
// the middle, and so is the core that it writes to; then both are compared: `npm run import-test -- --statements 100000`.
import { spawn } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startPostgres } from '../../start/postgres.ts'
import { attachment, contentPart, jsonPart, multipart, multipartType } from '../support/attachments.ts'
import { databaseAt } from '../support/database.ts'
import type { Game } from '../support/games.ts'
import { startProcesses } from '../support/processes.ts'
import { player, statement, type Json } from '../support/statements.ts'
import { databaseUrl } from '../support/template.ts'
import { tokens } from '../support/system.ts'

const { values } = parseArgs({ options: { statements: { type: 'string', default: '100000' } } })
const wanted = Number(values.statements)
const batch = 250
const root = resolve(import.meta.dirname, '..', '..')
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lrs-import-')))
const state = join(folder, 'state.json')
const say = (line: string): void => void process.stdout.write(`${line}\n`)
const number = (value: number) => value.toLocaleString('en-US')
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`

const postgres = await startPostgres({ dataDir: join(folder, 'postgres'), settings: { max_connections: 100 } })
try {
  process.exitCode = (await run()) ? 0 : 1
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

async function run(): Promise<boolean> {
  const [one, other] = await Promise.all(
    ['one', 'other'].map(async (name) => startProcesses({ database: databaseAt(await newDatabase(name)) })),
  )
  try {
    const [from, to] = [await one!.game(), await other!.game()]
    await fill(from)
    const args = ['statements', 'import', '--key', to.key, '--from', `${one!.urls[0]}/xapi`, '--state', state]
    const env = {
      LRS_CORE_URL: other!.coreUrls[0]!,
      LRS_SERVICE_TOKEN: tokens.admin,
      LRS_IMPORT_AUTH: `${from.key}:${from.secret}`,
    }
    const began = performance.now()

    const first = importing(args, env)
    await reached(wanted * 0.3)
    say(`$ games-lrs statements import --key ${to.key} --from ${one!.urls[0]}/xapi --state state.json`)
    first.kill()
    await first.ended
    say(`killed (SIGKILL) after ${seconds(began)} with ${number(countOf())} statements acknowledged`)

    const second = importing(args, env)
    await reached(wanted * 0.6)
    await other!.crashCore(0)
    say(
      `$ games-lrs statements import …   (again; the core that it writes to was killed and started anew at about ${number(countOf())})`,
    )
    const { code, out } = await second.ended
    say(out.trim().replaceAll(folder, '.'))
    say(
      `exit code ${code}, ${seconds(began)} in all, ${number(Math.round(wanted / ((performance.now() - began) / 1000)))} statements/s with both kills`,
    )

    const third = await importing(args, env).ended
    say(`$ games-lrs statements import …   (once more)\n${third.out.trim().replaceAll(folder, '.')}`)
    return (await compare(from, to)) && code === 0 && third.code === 0
  } finally {
    await Promise.all([one!.close(), other!.close()])
  }
}

async function newDatabase(name: string): Promise<string> {
  const client = new pg.Client(postgres.url)
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return databaseUrl(postgres.url, name)
}

/** Statements in batches as games send them, a few with contents of attachments. */
async function fill(game: Game): Promise<void> {
  const began = performance.now()
  const response = 'What a learner answers, in some words. '.repeat(8)
  for (let n = 0; n < wanted; n += batch) {
    const many: Json[] = Array.from({ length: Math.min(batch, wanted - n) }, (_, index) =>
      statement({
        actor: player(`learner-${(n + index) % 500}`),
        result: { score: { scaled: Math.random() }, response },
      }),
    )
    const content = Buffer.from(`replay ${n} `.repeat(2000))
    many[0] = { ...many[0], attachments: [attachment(content)] }
    const body = multipart([jsonPart(many), contentPart(content)])
    const { status, text } = await game
      .xapi()
      .request('POST', 'statements', { body, headers: { 'content-type': multipartType } })
    if (status !== 200) throw new Error(`${status} ${text}`)
  }
  say(
    `${number(wanted)} statements, ${number(Math.ceil(wanted / batch))} with an attachment, stored in the first instance in ${seconds(began)}`,
  )
}

function importing(args: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [join(root, 'admin', 'main.ts'), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (out += text))
  const ended = new Promise<{ code: number | null; out: string }>((done) =>
    child.once('close', (code) => done({ code, out })),
  )
  return { kill: () => void child.kill('SIGKILL'), ended }
}

function countOf(): number {
  return existsSync(state) ? JSON.parse(readFileSync(state, 'utf8')).count : 0
}

async function reached(count: number): Promise<void> {
  while (countOf() < count) await new Promise((done) => setTimeout(done, 10))
}

/** Ids and hashes of the bodies, without `stored`, which each store gives itself. */
async function bodiesOf({ rpc }: Game): Promise<{ bodies: Map<string, string>; count: number; contents: Set<string> }> {
  const bodies = new Map<string, string>()
  const contents = new Set<string>()
  let count = 0
  for (let offset = ''; ;) {
    const page = await rpc().statements.queryStatements({ offset, limit: 500, attachments: true })
    for (const json of page.json) {
      const text = Buffer.from(json).toString()
      bodies.set(JSON.parse(text).id, hash('sha256', text.replace(/"stored":"[^"]*",?/, '')))
      count++
    }
    for (const { sha2 } of page.attachments) contents.add(sha2)
    if (page.next === '') return { bodies, count, contents }
    offset = page.next
  }
}

async function compare(from: Game, to: Game): Promise<boolean> {
  const [left, right] = [await bodiesOf(from), await bodiesOf(to)]
  const lost = [...left.bodies.keys()].filter((id) => !right.bodies.has(id)).length
  const changed = [...left.bodies].filter(([id, body]) => right.bodies.has(id) && right.bodies.get(id) !== body).length
  const foreign = [...right.bodies.keys()].filter((id) => !left.bodies.has(id)).length
  const doubled = right.count - right.bodies.size
  const contents = [...left.contents].filter((sha2) => !right.contents.has(sha2)).length
  say(
    `compared: ${number(left.count)} there, ${number(right.count)} here; lost ${lost}, doubled ${doubled}, changed ${changed}, foreign ${foreign}, contents missing ${contents} of ${left.contents.size}`,
  )
  return lost + doubled + changed + foreign + contents === 0 && left.count === wanted
}
