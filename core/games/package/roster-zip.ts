import { isUtf8 } from 'node:buffer'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import { rosters as limits } from '../../../shared/limits.ts'
import { Problem } from '../../process/problem.ts'
import type { FaultList } from '../rules/roster-faults.ts'
import type { Row } from '../rules/roster.ts'
import { checkZip } from './check-zip.ts'
import { inMemory } from './unpack.ts'

/** The rows of these files of a zip, and the names of its other files, which are not read. */
export async function readRosterZip(
  zip: Uint8Array,
  names: readonly string[],
  faults: FaultList,
): Promise<{ files: ReadonlyMap<string, readonly Row[]>; ignored: string[] }> {
  const files = new Map<string, readonly Row[]>()
  const { contents, ignored } = await contentsOf(zip, names, faults)
  for (const [name, content] of contents)
    if (isText(name, content, faults)) files.set(name, await rowsOf(name, content, faults))
  return { files, ignored }
}

/** The checks of builds hold for the zip: its end, sizes, checksums, ratio, no links. */
async function contentsOf(zip: Uint8Array, names: readonly string[], faults: FaultList) {
  const contents = new Map<string, Buffer>()
  const ignored: string[] = []
  const folder = await mkdtemp(join(tmpdir(), 'lrs-roster-'))
  try {
    const path = join(folder, 'roster.zip')
    await writeFile(path, zip, { mode: 0o600 })
    const entries = await checkZip(path, 'roster.zip', limits.expanded, false)
    await using file = await open(path)
    for (const entry of entries.slice(0, limits.files)) {
      if (names.includes(entry.name)) contents.set(entry.name, await inMemory(file, entry))
      else ignored.push(entry.name)
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    faults.add('zip', { file: error.path, value: error.what })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return { contents, ignored }
}

/** UTF-8, with or without a byte order mark. */
function isText(file: string, content: Buffer, faults: FaultList): boolean {
  if (content.includes(0)) faults.add('utf-16', { file })
  else if (!isUtf8(content)) faults.add('not-utf-8', { file, line: badLine(content) })
  else return true
  return false
}

function badLine(content: Buffer): number {
  let line = 1
  for (let start = 0; ; line++) {
    const end = content.indexOf(10, start)
    if (end === -1 || !isUtf8(content.subarray(start, end))) return line
    start = end + 1
  }
}

async function rowsOf(file: string, content: Buffer, faults: FaultList): Promise<Row[]> {
  const rows: Row[] = []
  let lines = 0
  const parser = parse({
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: limits.value,
    on_record(record: string[], info) {
      lines = info.lines
      if (rows.length < limits.rows) rows.push({ line: lines - linesWithin(record), values: record })
      else faults.add('rows', { file, line: lines, expected: `${limits.rows}` })
      return null
    },
  })
  try {
    await pipeline(chunks(content), parser.resume())
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    faults.add('quotes', { file, line: lines + 1 })
  }
  return rows
}

const linesWithin = (record: readonly string[]): number =>
  record.reduce((lines, value) => lines + (value.match(/\n/g)?.length ?? 0), 0)

/** So small that core's thread serves games meanwhile. */
async function* chunks(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 64 * 1024) {
    yield content.subarray(at, at + 64 * 1024)
    await setImmediate()
  }
}
