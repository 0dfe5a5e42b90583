// Writes what follows from start/layers.ts: rules of the linter in .oxlintrc.json, tables in docs/architecture.md.
// With a folder as argument it writes copies there, for `npm run check` to compare.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { layers, portalRooms, portalWings, wings } from './layers.ts'

const root = resolve(import.meta.dirname, '..')
const [target = root] = process.argv.slice(2)

interface Pattern {
  readonly group: readonly string[]
  readonly message: string
  readonly allowTypeImports?: true
}

const others = ['gateway', 'portal', 'player', 'admin']
const folders = (names: readonly string[]): string[] => names.map((name) => `**/${name}/**`)
const but = (names: object, used: readonly string[]): string[] =>
  Object.keys(names).filter((name) => !used.includes(name))

/** What files of a layer in a wing may not import. */
function patternsOf(wing: string, layer: string): Pattern[] {
  const { uses } = wings[wing]!
  const { uses: below, pure, still, gen, sql } = layers[layer]!
  const list = (names: readonly string[]) => names.join(', ') || 'no other'
  const patterns: Pattern[] = [
    { group: folders(others), message: 'Nobody in core knows who calls it.' },
    {
      group: folders(but(wings, [wing, ...uses])),
      message: `core/${wing} uses values of these wings: ${list(uses)}.`,
      allowTypeImports: true,
    },
    {
      group: [...folders(but(layers, [layer, ...below])), '!**/shared/**'],
      message: `${layer} uses ${pure ? '' : 'values of '}these layers: ${list(below)}.`,
      ...(pure ? {} : { allowTypeImports: true as const }),
    },
    {
      group: ['**/core.ts', '**/context.ts', '**/store.ts', '!./*.ts'],
      message: 'core wires its wings; they take only types of it.',
      ...(pure ? {} : { allowTypeImports: true as const }),
    },
  ]
  if (!gen)
    patterns.push({
      group: ['**/gen/**'],
      message: `${layer} ${pure ? 'knows no' : 'takes only types of'} messages of the contract.`,
      ...(pure ? {} : { allowTypeImports: true as const }),
    })
  if (!sql) patterns.push({ group: ['knex', 'pg'], message: `${layer} has no SQL.` })
  if (still)
    patterns.push({
      group: ['node:fs*', 'node:http*', 'node:child_process', 'express', '@grpc/*', '@connectrpc/*'],
      message: `${layer} does no I/O.`,
    })
  return patterns.filter(({ group }) => group.some((one) => !one.startsWith('!')))
}

const layersIn = (wing: string): string[] =>
  Object.keys(layers).filter((layer) => existsSync(join(root, 'core', wing, layer)))

const rule = (files: string, patterns: readonly Pattern[]): string =>
  [
    '    {',
    `      "files": ["${files}"],`,
    '      "rules": { "no-restricted-imports": ["error", { "patterns": [',
    patterns.map((pattern) => `        ${JSON.stringify(pattern)}`).join(',\n'),
    '      ] }] }',
    '    }',
  ].join('\n')

const cellsOnly: Pattern = {
  group: ['../*.ts'],
  message: 'A cell knows nothing of studios and learners: the stores of the directory may call it.',
}

function rules(): string[] {
  const own = Object.keys(wings).flatMap((wing) =>
    layersIn(wing).flatMap((layer) => {
      const path = `**/core/${wing}/${layer}`
      const one = rule(`${path}/**/*.ts`, patternsOf(wing, layer))
      if (!existsSync(join(root, 'core', wing, layer, 'cell'))) return [one]
      return [one, rule(`${path}/cell/*.ts`, [...patternsOf(wing, layer), cellsOnly])]
    }),
  )
  return [rule('**/core/**/*.ts', [{ group: folders(others), message: 'Nobody in core knows who calls it.' }]), ...own]
}

const clientOnly: Pattern = {
  group: ['**/core/**', 'knex', 'pg', ...folders(others)],
  message: 'The portal reaches core through gen/ only, and no other process at all.',
}

/** What a folder of the portal may not import, also no types. */
function portalPatterns(room: string, wing?: string): Pattern[] {
  const below = [room, ...portalRooms[room]!.uses]
  const patterns = [
    clientOnly,
    { group: [...folders(but(portalRooms, below)), '**/app.ts'], message: `portal/${room} does not build on these.` },
  ]
  if (wing === undefined) return patterns
  const { uses } = portalWings[wing]!
  const group = folders(but(portalWings, [wing, ...uses]))
  return [...patterns, { group, message: `${room}/${wing} uses of the others: ${uses.join(', ') || 'none'}.` }]
}

const portalRules = (): string[] => [
  rule('**/portal/**/*.ts', [clientOnly]),
  ...Object.keys(portalRooms).map((room) => rule(`**/portal/${room}/**/*.ts`, portalPatterns(room))),
  ...['pages', 'routes'].flatMap((room) =>
    Object.keys(portalWings).map((wing) => rule(`**/portal/${room}/${wing}/**/*.ts`, portalPatterns(room, wing))),
  ),
]

const isOurs = /^ {4}\{\n {6}"files": \["\*\*\/(?:core|portal)\/(?:(?!^ {4}\}).)*?^ {4}\},?\n/gms

function lintFile(): string {
  const rest = readFileSync(join(root, '.oxlintrc.json'), 'utf8').replace(isOurs, '')
  return rest.replace('"overrides": [\n', () => `"overrides": [\n${[...rules(), ...portalRules()].join(',\n')},\n`)
}

const cell = (names: readonly string[]): string => names.join(', ') || 'nothing'
const tables = (): string =>
  [
    '',
    'Made by `start/write-layers.ts` from [layers.ts](../start/layers.ts). A wing may import types of all others.',
    '',
    'A wing hands in what it has, and the lists of core name wings only: `wing.ts` makes its parts for handlers, `jobs.ts`',
    'starts what runs beside calls and says what ends when core closes, `store/stores.ts` and `service/services.ts` list its',
    'stores and services. So a new feature is files of one wing and a line in its lists.',
    '',
    '| wing | what | may import values of | its layers |',
    '|---|---|---|---|',
    ...Object.entries(wings).map(
      ([name, { what, uses }]) =>
        `| \`core/${name}/\` | ${what} | ${uses.length > 5 ? 'all' : cell(uses)} | ${layersIn(name).join(', ')} |`,
    ),
    '',
    'A layer has one name in all wings, and may import itself in the wings that its wing may import:',
    '',
    '| layer | what | may import |',
    '|---|---|---|',
    ...Object.entries(layers).map(
      ([name, { what, uses, pure }]) => `| \`${name}/\` | ${what} | ${cell(uses)}${pure ? ', also no types' : ''} |`,
    ),
    '',
  ].join('\n')

const portalTable = (rooms: typeof portalRooms): string[] => [
  '',
  '| folder | what | may import of the others |',
  '|---|---|---|',
  ...Object.entries(rooms).map(([name, { what, uses }]) => `| \`${name}/\` | ${what} | ${cell(uses)} |`),
]
const portalTables = (): string =>
  [
    '',
    'Made in the same way. The folders of `portal/`:',
    ...portalTable(portalRooms),
    '',
    'The folders of `portal/pages` and of `portal/routes`:',
    ...portalTable(portalWings),
    '',
  ].join('\n')

function page(): string {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  return text
    .replace(/(?<=\n### Wings and layers of core\n).*?(?=\n##)/s, tables)
    .replace(/(?<=\n### Rooms of the portal\n).*?(?=\n##)/s, portalTables)
}

writeFileSync(join(target, '.oxlintrc.json'), lintFile())
writeFileSync(join(target, target === root ? 'docs/architecture.md' : 'architecture.md'), page())
