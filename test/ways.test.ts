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

/** The files with a function that runs for every request, and their lines that do, without comments and closing braces. */
async function filesOf(ask: () => Promise<unknown>): Promise<Map<string, number>> {
  for (let n = 0; n < 3; n++) await ask()
  await inspector.post('Profiler.takePreciseCoverage')
  for (let n = 0; n < times; n++) await ask()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  const files: [string, number][] = []
  for (const { scriptId, url, functions } of result) {
    const file = relative(root, url.startsWith('file:') ? fileURLToPath(url) : url)
    if (!/^(?:gateway|core|shared)\//.test(file)) continue
    const { scriptSource } = await inspector.post('Debugger.getScriptSource', { scriptId })
    const often = functions.filter(({ ranges: [range] }) => range!.count >= times)
    const ours = often.filter(
      ({ ranges: [range] }) => !isExport(scriptSource.slice(range!.startOffset, range!.endOffset)),
    )
    if (ours.length === 0) continue
    files.push([file, linesThatRun(scriptSource, ours)])
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
const rankOf = (file: string): number => order.findIndex((folder) => file.startsWith(`${folder}/`))

/** The list as the page has it. */
function listOf(files: ReadonlyMap<string, number>): string {
  const rows = Map.groupBy(
    [...files].toSorted(([one], [other]) => rankOf(one) - rankOf(other)),
    ([file]) => dirname(file),
  )
    .entries()
    .map(
      ([folder, own]) =>
        `| \`${folder}/\` | ${own.map(([file]) => `\`${file.slice(folder.length + 1)}\``).join(', ')} |`,
    )
  return ['| folder | files |', '| --- | --- |', ...rows].join('\n')
}

/** A way that grows is harder to read: the most files of each, and the most lines that run for each request. */
const most: Readonly<Record<string, { files: number; run: number }>> = {
  'POST of statements': { files: 40, run: 1_450 },
  'GET of a page': { files: 40, run: 1_100 },
  'PUT of a document': { files: 40, run: 1_100 },
}

const page = resolve(root, 'docs/architecture.md')
const ofHeading = (heading: string): RegExp => new RegExp(`(?<=\n### ${heading}\n).*?(?=\n##)`, 's')

/** The files that the page has under a heading. */
function listedUnder(heading: string): string[] {
  const [section = ''] = ofHeading(heading).exec(readFileSync(page, 'utf8')) ?? []
  const rows = section.matchAll(/^\| `([\w/-]+)\/` \| (.*) \|$/gm)
  return [...rows].flatMap(([, folder, cell]) =>
    [...cell!.matchAll(/`([\w.-]+)`/g)].map(([, name]) => `${folder}/${name}`),
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
  const instead = `docs/architecture.md, "${heading}", should say (LRS_TEST_WAYS=write writes it):\n\n${listOf(files)}\n`
  expect(listedUnder(heading).toSorted(), instead).toEqual([...files.keys()])
  expect(files.size).toBeLessThanOrEqual(most[heading]!.files)
  const run = [...files.values()].reduce((sum, lines) => sum + lines, 0)
  expect(run, `lines on the way of a ${heading}`).toBeLessThanOrEqual(most[heading]!.run)
})
