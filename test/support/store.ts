import type { Caller } from '../../core/records/access/caller.ts'
import { rulesFor } from '../../core/records/xapi/dialect.ts'
import { prepareStatements, type Prepared } from '../../core/records/xapi/prepare.ts'
import { timestampOf } from '../../core/records/xapi/timestamp.ts'
import type { TestDatabase } from './database.ts'
import type { Json } from './statements.ts'

let games = 0

/** A new game with a credential, straight in the database. */
export async function newCaller({ sql }: TestDatabase): Promise<Caller> {
  const key = `game-${++games}`
  const [row] = await sql<{ id: number; game: number; uuid: string }>(
    `with g as (insert into game (name) values ($1) returning id, uuid), c as (
      insert into credential (key, game, secret_hash, authority, scopes)
      select $1, id, '', '{}', '{}' from g returning id, game)
    select c.id, c.game, g.uuid from c, g`,
    [key],
  )
  return {
    credential: row!.id,
    credentialVersion: 1,
    game: row!.game,
    cell: 1,
    key,
    gameId: row!.uuid,
    authority: '{}',
    scopes: [],
    rules: rulesFor('1.0.3', 'games'),
  }
}

/** Statements as core prepares them for storing. */
export function preparedFor({ rules, authority }: Caller, list: readonly Json[]): Prepared {
  const now = timestampOf(Date.now() * 1000)
  return prepareStatements(Buffer.from(JSON.stringify(list)), { rules, authority, now, maxStatements: 250 })
}
