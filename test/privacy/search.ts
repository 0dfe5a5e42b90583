import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { agentKey, relatedAgentKey } from '../../core/records/xapi/identify.ts'
import type { Agent } from '../support/statements.ts'
import type { TestDatabase } from '../support/database.ts'

/** What a learner can be found by: words of names and identifiers, and the keys that are computed from these. */
export function markersOf(word: string, agents: readonly Agent[], ids: readonly string[]): RegExp {
  const words = [word, word[0]!.toUpperCase() + word.slice(1), word.toUpperCase()]
  const keys = agents.flatMap((agent) => [agentKey(agent as never)!, relatedAgentKey(agent as never)!])
  const hex = words.map((one) => Buffer.from(one).toString('hex'))
  // base64 has three forms of a text, by what is before it; the characters at its ends depend on that
  const base64 = words.flatMap((one) =>
    [0, 1, 2].map((n) =>
      Buffer.from(' '.repeat(n) + one)
        .toString('base64')
        .slice(n === 0 ? 0 : 4, -4),
    ),
  )
  const sha1 = agents.flatMap(({ mbox }) => (mbox ? createHash('sha1').update(String(mbox)).digest('hex') : []))
  const uuids = [...keys, ...ids].flatMap((id) => [id.replaceAll('-', ''), dashed(id.replaceAll('-', ''))])
  return new RegExp([word, ...hex, ...base64.filter((text) => text.length > 5), ...sha1, ...uuids].join('|'), 'i')
}

const dashed = (id: string) => id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Each column of each table of each schema that is not one of Postgres' own, with the number of rows that match. */
export async function columnsWith({ sql }: Pick<TestDatabase, 'sql'>, markers: RegExp): Promise<Map<string, number>> {
  const columns = await sql<{ relation: string; name: string; columns: string[] }>(
    `select format('%I.%I', n.nspname, c.relname) as relation, c.relname as name,
        array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
      where c.relkind in ('r', 'p', 'm') and n.nspname !~ '^pg_|^information_schema$' and a.attnum > 0
        and not a.attisdropped
      group by 1, 2`,
  )
  const found = new Map<string, number>()
  for (const { relation, name, columns: names } of columns) {
    const counts = names.map((column, n) => `count(*) filter (where "${column}"::text ~* $1)::int as c${n}`)
    const [row] = await sql<Record<string, number>>(`select ${counts.join()} from ${relation}`, [markers.source])
    names.forEach((column, n) => {
      if (row![`c${n}`]! > 0) found.set(`${name}.${column}`, (found.get(`${name}.${column}`) ?? 0) + row![`c${n}`]!)
    })
  }
  return found
}

/** Files below a folder whose name or content matches, as it is and unpacked. */
export async function filesWith(folder: string, markers: RegExp): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path)
    const text = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes
    if (markers.test(path.slice(folder.length)) || markers.test(text.toString('latin1'))) found.push(path)
  }
  return found
}
