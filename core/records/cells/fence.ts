import { randomUUID } from 'node:crypto'
import { first, sql, type Database, type Run } from '../../process/database/database.ts'
import { schemaOf } from '../../process/database/schemas.ts'

/** The tables of a cell. */
export const cellTables =
  'statement posting attachment attachment_chunk statement_attachment activity_definition agent_name telling'.split(' ')

const statement = (text: string) => sql('')`${text}`
const lockOrder = sql('fence_lock')`select pg_advisory_xact_lock(2026, order_lock($1))`
const mark = sql('fence_mark')`
  select obj_description(oid, 'pg_trigger') as mark from pg_trigger
    where tgname = 'leaving' and tgrelid = to_regclass($1 || '.statement')`
/** Copies of games say which cell they are in: without new ones no core goes on here with a new credential. */
const copies = (cell: number) => `leaving_${cell}`

/** The mark of a fence: a standby that has it has everything that came before. Undefined: there is no fence. */
export const fenceOf = async (run: Run, cell: number): Promise<string | undefined> =>
  (await first(run<{ mark: string }>(mark, [schemaOf(cell)])))?.mark

/** Has a server refuse everything that would change a cell; returns the mark of the fence. */
export async function fence({ transaction }: Database, cell: number): Promise<string> {
  return transaction(async (run) => {
    await run(lockOrder, [cell])
    const known = await fenceOf(run, cell)
    if (known !== undefined) return known
    const found = randomUUID()
    for (const table of cellTables)
      await run(
        statement(`create trigger leaving before insert or update or delete on ${schemaOf(cell)}.${table}
          for each statement execute function refuse_leaving(${cell})`),
        [],
      )
    await run(
      statement(`create trigger ${copies(cell)} before insert or update on tenant
        for each row when (new.cell = ${cell}) execute function refuse_leaving(${cell})`),
      [],
    )
    await run(statement(`comment on trigger leaving on ${schemaOf(cell)}.statement is '${found}'`), [])
    return found
  })
}

/** Lets a server know of the games of a fenced cell. */
export const openCopies = async (run: Run, cell: number): Promise<void> =>
  void (await run(statement(`drop trigger if exists ${copies(cell)} on tenant`), []))

/** Takes the fence away. */
export async function unfence({ transaction }: Database, cell: number): Promise<void> {
  await transaction(async (run) => {
    if ((await fenceOf(run, cell)) === undefined) return
    await openCopies(run, cell)
    for (const table of cellTables) await run(statement(`drop trigger leaving on ${schemaOf(cell)}.${table}`), [])
  })
}
