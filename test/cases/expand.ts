import { readdirSync, readFileSync } from 'node:fs'
import type { Version } from '../../core/records/xapi/dialect.ts'

/** One statement, whole, and what every level has to make of it. */
export interface StatementCase {
  requirement: string
  about: string
  versions: Version[]
  statement: unknown
  /** A refusal names a path below the statement, and may say words that the message must contain. */
  expect: 'ok' | { path: string; what?: string }
}

/**
 * A case as the files hold it: a whole `statement`, or a `base` of bases.json that is changed. `set` and `remove` name
 * properties by their path (`context.team.member.0`). With `places` the case is repeated at every place of that kind,
 * and `@` in paths stands for the place.
 */
export interface CaseFile {
  requirement: string
  about: string
  version?: Version
  statement?: unknown
  base?: string
  places?: string
  set?: Record<string, unknown>
  remove?: string[]
  expect: StatementCase['expect']
}

type Json = Record<string, unknown>
interface Place {
  base: string
  at: string
}

const bases = read('bases.json') as { statements: Record<string, unknown>; places: Record<string, Place[]> }

/** The statements that a case stands for. */
function expand(file: CaseFile): StatementCase[] {
  const versions: Version[] = file.version ? [file.version] : ['1.0.3', '2.0.0']
  const { requirement, about, expect } = file
  if (file.statement !== undefined) return [{ requirement, about, versions, statement: file.statement, expect }]
  return placesOf(file).map(({ base, at }) => {
    const here = (path: string) => path.replace(/^@/, at)
    const statement = structuredClone(bases.statements[base]) as Json
    for (const path of file.remove ?? []) remove(statement, here(path).split('.'))
    for (const [path, value] of Object.entries(file.set ?? {})) set(statement, here(path).split('.'), value)
    const place = at.replace(/\.(\d+)/g, '[$1]')
    const expected = expect === 'ok' ? expect : { ...expect, path: expect.path.replace(/^@/, place) }
    return { requirement, about: at ? `${about}: ${place}` : about, versions, statement, expect: expected }
  })
}

/** Every case of the folder `statements`. */
export function statementCases(): StatementCase[] {
  const files = readdirSync(new URL('statements/', import.meta.url)).filter((name) => name.endsWith('.json'))
  return files.flatMap((name) => (read(`statements/${name}`) as CaseFile[]).flatMap(expand))
}

function placesOf({ base, places, requirement, about }: CaseFile): Place[] {
  const list = places ? bases.places[places] : base && bases.statements[base] ? [{ base, at: '' }] : undefined
  if (!list) throw new Error(`${requirement}, ${about}: needs a statement, a known base or known places`)
  return list
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
}

function set(target: Json, path: string[], value: unknown): void {
  const key = path[0] as string
  if (path.length === 1) {
    // As data, so that `__proto__` becomes a property like any other.
    const data = { value: structuredClone(value), enumerable: true, configurable: true, writable: true }
    Object.defineProperty(target, key, data)
    return
  }
  target[key] ??= /^\d+$/.test(path[1] as string) ? [] : {}
  set(target[key] as Json, path.slice(1), value)
}

function remove(target: Json, path: string[]): void {
  if (path.length === 1) delete target[path[0] as string]
  else remove(target[path[0] as string] as Json, path.slice(1))
}
