// Fails when wings of core, layers in a wing, or folders of the portal import each other's values in a circle, and says
// how many arrows there are.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { layers, portalRooms, portalWings, portalWiring, wings, wiring } from './layers.ts'

interface Arrow {
  readonly from: string
  readonly to: string
  /** A type is imported, and no value. */
  readonly isType: boolean
}

const statement = /^(?:import|export)(\s+type)?\b([^'"`;]*?)\bfrom\s+'(\.[^']+)'/gm
const onlyTypes = /^\s*\{(?:\s*type [^,}]+,?)+\s*\}\s*$/

/** The imports between files. */
function arrowsIn(root: string, files: readonly string[]): Arrow[] {
  return files.flatMap((from) =>
    [...readFileSync(join(root, from), 'utf8').matchAll(statement)].map(([, type, names, path]) => ({
      from,
      to: normalize(join(dirname(from), path!)),
      isType: type !== undefined || onlyTypes.test(names!),
    })),
  )
}

/** Names that reach each other. */
export function circlesOf(arrows: readonly (readonly [string, string])[]): string[][] {
  const next = Map.groupBy(arrows, ([from]) => from)
  const reached = new Map<string, Set<string>>()
  for (const start of next.keys()) {
    const seen = new Set<string>()
    const open = [start]
    for (let one = open.pop(); one !== undefined; one = open.pop())
      for (const [, to] of next.get(one) ?? []) if (!seen.has(to) && seen.add(to)) open.push(to)
    reached.set(start, seen)
  }
  const circles = [...reached.keys()]
    .filter((name) => reached.get(name)!.has(name))
    .map((name) =>
      [...reached.keys()].filter((other) => reached.get(name)!.has(other) && reached.get(other)?.has(name)),
    )
  return [...new Map(circles.map((circle) => [circle.toSorted().join(' '), circle])).values()]
}

const wingOf = (file: string): string => file.split('/')[1]!
/** A folder of a wing, or a file beside them. */
const roomOf = (file: string): string => file.split('/').slice(0, 3).join('/')

/** Each pair of folders with an import. */
const between = (of: (file: string) => string, some: readonly Arrow[]) => [
  ...new Map(
    some.flatMap(({ from, to }) =>
      of(from) === of(to) ? [] : [[`${of(from)} ${of(to)}`, [of(from), of(to)] as const]],
    ),
  ).values(),
]

const sources = { exclude: ['**/*.test.ts'] }

function checkCore(root: string): string[] {
  const files = globSync('core/**/*.ts', { cwd: root, ...sources })
  const arrows = arrowsIn(root, files).filter(({ to }) => to.startsWith('core/'))
  const values = arrows.filter(({ isType }) => !isType)
  const strays = files.filter((file) => {
    const [, wing = '', layer = '', name] = file.split('/')
    if (!(wing in wings)) return !wiring.includes(wing)
    return wing !== 'rpc' && name !== undefined && !(layer in layers)
  })
  const rooms = Object.keys(wings).flatMap((wing) =>
    circlesOf(
      between(
        roomOf,
        values.filter(({ from, to }) => wingOf(from) === wing && wingOf(to) === wing),
      ),
    ),
  )
  const tops = new Set(files.map(wingOf))
  process.stdout.write(
    `core: ${tops.size} rooms at the top, ${between(wingOf, values).length} arrows by values, ` +
      `${between(wingOf, arrows).length} with types\n`,
  )
  return [
    ...strays.map((file) => `${file} is in no layer of start/layers.ts`),
    ...circlesOf(between(wingOf, values)).map((circle) => `a circle of wings: ${circle.join(', ')}`),
    ...rooms.map((circle) => `a circle of layers: ${circle.join(', ')}`),
  ]
}

function checkPortal(root: string): string[] {
  const files = globSync('portal/**/*.ts', { cwd: root, ...sources })
  const values = arrowsIn(root, files).filter(({ to, isType }) => to.startsWith('portal/') && !isType)
  const strays = files.filter((file) => {
    const [, room = '', wing = '', name] = file.split('/')
    if (room === 'pages' || room === 'routes') return name === undefined || !(wing in portalWings)
    return wing === '' ? !portalWiring.includes(room) : !(room in portalRooms)
  })
  const inside = (room: string) =>
    between(
      roomOf,
      values.filter(({ from, to }) => wingOf(from) === room && wingOf(to) === room),
    )
  const [top, pages, routes] = [between(wingOf, values), inside('pages'), inside('routes')]
  process.stdout.write(
    `portal: ${top.length} arrows at the top, ${pages.length} in pages, ${routes.length} in routes\n`,
  )
  const all = [top, pages, routes, between(dirname, values)]
  return [
    ...strays.map((file) => `${file} is in no folder of start/layers.ts`),
    ...all.flatMap(circlesOf).map((circle) => `a circle in the portal: ${circle.join(', ')}`),
  ]
}

if (import.meta.main) {
  const root = process.argv[2] ?? join(import.meta.dirname, '..')
  const wrong = [...checkCore(root), ...checkPortal(root)]
  for (const one of wrong) process.stdout.write(`${one}\n`)
  if (wrong.length > 0) process.exitCode = 1
}
