import { readFileSync, writeFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { player, statement } from './support/statements.ts'
import { startSystem, type System } from './support/system.ts'
import type { XapiClient } from './support/xapi.ts'

const root = resolve(import.meta.dirname, '..')
/** Background work runs less often than this meanwhile. */
const times = 60
/** Each file on the page has its lines: it may have changed by so many, and by a tenth, before the page has to. */
const mayDiffer = 15
const inspector = new Session()

let system: System
let xapi: XapiClient
beforeAll(async () => {
  inspector.connect()
  await inspector.post('Profiler.enable')
  // before the first call: a function that was compiled without it counts as a whole, not by block
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  await inspector.post('Debugger.enable')
  system = await startSystem()
  xapi = (await system.game()).xapi()
})
afterAll(() => {
  inspector.disconnect()
  return system.close()
})

interface Passed {
  lines: number
  /** Of them, those that run for each request, without comments and closing braces. */
  run: number
}

/** The files with a function that runs for every request. */
async function filesOf(ask: () => Promise<unknown>): Promise<Map<string, Passed>> {
  for (let n = 0; n < 3; n++) await ask()
  await inspector.post('Profiler.takePreciseCoverage')
  for (let n = 0; n < times; n++) await ask()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  const files: [string, Passed][] = []
  for (const { scriptId, url, functions } of result) {
    const file = relative(root, url.startsWith('file:') ? fileURLToPath(url) : url)
    if (!/^(?:gateway|core|shared)\//.test(file)) continue
    const { scriptSource } = await inspector.post('Debugger.getScriptSource', { scriptId })
    const often = functions.filter(({ ranges: [range] }) => range!.count >= times)
    const ours = often.filter(
      ({ ranges: [range] }) => !isExport(scriptSource.slice(range!.startOffset, range!.endOffset)),
    )
    if (ours.length === 0) continue
    const lines = readFileSync(resolve(root, file), 'utf8').split('\n').length - 1
    files.push([file, { lines, run: linesThatRun(scriptSource, ours) }])
  }
  return new Map(files.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

/** Counts by block: an outer range comes before those in it, which say otherwise. */
function linesThatRun(source: string, functions: readonly Profiler.FunctionCoverage[]): number {
  const counts = new Int32Array(source.length)
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) counts.fill(count, startOffset, endOffset)
  }
  let offset = 0
  return source.split('\n').filter((line) => {
    const start = offset
    offset += line.length + 1
    if (!/\w/.test(line) || /^\s*(?:\/\/|\/?\*)/.test(line)) return false
    return line.matchAll(/\w/g).some(({ index }) => counts[start + index]! >= times)
  }).length
}

/** What vitest makes of an export runs as a function, too. */
const isExport = (source: string): boolean => /^(?:get)?\(\) ?(?:=> ?)?\{ ?(?:try ?\{ ?)?return \w+/.test(source)

/** Folders in about the order in which a request passes them. */
const order = [
  'gateway',
  'shared',
  'core/rpc',
  'core/records/service',
  'core/records/calls',
  'core/records/access',
  'core/records/command',
  'core/records/query',
  'core/records/xapi',
  'core/records',
  'core',
]
const placeOf = (file: string): number => order.findIndex((folder) => file.startsWith(`${folder}/`))

/** The list as the page has it. */
function listOf(files: ReadonlyMap<string, Passed>): string {
  const sum = (kind: keyof Passed) =>
    [...files.values()].reduce((total, passed) => total + passed[kind], 0).toLocaleString('en')
  const rows = Map.groupBy(
    [...files].toSorted(([one], [other]) => placeOf(one) - placeOf(other)),
    ([file]) => dirname(file),
  )
    .entries()
    .map(
      ([folder, own]) =>
        `| \`${folder}/\` | ${own.map(([file, { lines }]) => `\`${file.slice(folder.length + 1)}\` ${lines}`).join(', ')} |`,
    )
  return [
    `${files.size} files with ${sum('lines')} lines, of which ${sum('run')} run for each request.`,
    '',
    '| folder | files with their lines |',
    '| --- | --- |',
    ...rows,
  ].join('\n')
}

const page = resolve(root, 'docs/architecture.md')
const ofHeading = (heading: string): RegExp => new RegExp(`(?<=\n### ${heading}\n).*?(?=\n##)`, 's')

/** What the page says under a heading: each file with its lines. */
function listedUnder(heading: string): Map<string, number> {
  const [section = ''] = ofHeading(heading).exec(readFileSync(page, 'utf8')) ?? []
  const rows = section.matchAll(/^\| `([\w/-]+)\/` \| (.*) \|$/gm)
  return new Map(
    [...rows].flatMap(([, folder, cell]) =>
      [...cell!.matchAll(/`([\w.-]+)` (\d+)/g)].map(([, name, lines]) => [`${folder}/${name}`, Number(lines)]),
    ),
  )
}

const document = {
  query: { activityId: 'https://games.example.org/a', agent: player('ann'), stateId: 's' },
  headers: { 'content-type': 'application/json' },
  body: { level: 1 },
}
test.each([
  ['POST of statements', async () => expect((await xapi.post([statement()])).status).toBe(200)],
  ['GET of a page', async () => expect((await xapi.get({ agent: player('ann'), limit: '10' })).status).toBe(200)],
  ['PUT of a document', async () => expect((await xapi.request('PUT', 'activities/state', document)).status).toBe(204)],
])('docs/architecture.md lists every file on the way of a %s', async (heading, ask) => {
  const files = await filesOf(ask)
  if (process.env['LRS_TEST_WAYS'] === 'write')
    writeFileSync(page, readFileSync(page, 'utf8').replace(ofHeading(heading), `\n${listOf(files)}\n`))
  const listed = listedUnder(heading)
  const instead = `docs/architecture.md, "${heading}", should say (LRS_TEST_WAYS=write writes it):\n\n${listOf(files)}\n`
  expect([...listed.keys()].toSorted(), instead).toEqual([...files.keys()])
  for (const [file, { lines }] of files)
    expect(Math.abs(lines - listed.get(file)!), `${file}: ${instead}`).toBeLessThan(mayDiffer + lines / 10)
})
