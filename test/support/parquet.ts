import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import { encoder } from '../../core/connections/export/encoder.ts'

export type Row = Record<string, unknown>

/** Writes stored statements as Parquet files by the day of `stored`, as the command line does. */
export async function writeDays(folder: string, stored: readonly { readonly stored: string }[]): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [day, list] of Map.groupBy(stored, (one) => one.stored.slice(0, 10))) {
    const { take, encode, end } = encoder({
      format: 'parquet',
      languages: 'en',
      extensions: [],
      mark: false,
      continues: false,
      pseudonymity: undefined,
    })
    take(list.map((one) => Buffer.from(JSON.stringify(one))))
    const begin = await encode({ verbs: [], activities: [] })
    await writeFile(join(folder, `statements-${day}.parquet`), Buffer.concat([begin, await end()]))
  }
}

/** The SQL of docs/analytics.md: what DuckDB needs, the tables, and each question by its number. */
export async function documentedSql() {
  const text = await readFile('docs/analytics.md', 'utf8')
  const [engine, tables] = Array.from(text.matchAll(/```sql\n(.*?)```/gs), ([, sql]) => sql!)
  const questions = new Map(
    Array.from(
      text.matchAll(/^### (\d+)\. .*?```sql\n(.*?)```/gms),
      ([, number, sql]) => [Number(number), sql!] as const,
    ),
  )
  return { engine: engine!, tables: tables!, questions }
}

/**
 * DuckDB over the files of a folder.
 * @param zone of the days
 * @param start of the game: milliseconds
 * @param build SQL of what stands in place of the build
 */
export async function analyst(folder: string, zone = 'UTC', start = 946_684_800_000, build = 'build') {
  const { engine, tables, questions } = await documentedSql()
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection: DuckDBConnection = await instance.connect()
  // readers in other time zones get the same days
  await connection.run("set timezone = 'Pacific/Auckland'")
  const here = `'${folder.replaceAll("'", "''")}/`
  const files = engine.replaceAll("'chess/", here).replace('select * from', `select * replace (${build} as build) from`)
  await connection.run(files.replace("= 'UTC'", `= '${zone}'`))
  await connection.run(tables.replace(' 946684800000 ', ` ${start} `))
  const ask = async (sql: string): Promise<Row[]> => (await connection.runAndReadAll(sql)).getRowObjectsJson()
  return {
    ask,
    /** The answer to a question of docs/analytics.md, with numbers as numbers. */
    answer: async (question: number): Promise<unknown[][]> =>
      (await ask(questions.get(question)!)).map((row) => Object.values(row).map(plain)),
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** Numbers of 64 bits come as text; sums of fractions depend on their order in the last digits. */
const plain = (value: unknown): unknown =>
  typeof value === 'number'
    ? Number(value.toFixed(6))
    : typeof value === 'string' && /^-?\d+$/.test(value)
      ? Number(value)
      : value
