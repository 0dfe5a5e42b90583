import type { Caller } from '../../core/records/access/caller.ts'
import { openDatabase } from '../../core/process/database/database.ts'
import { storeOver, type Store } from '../../core/store.ts'
import type { Attached } from '../../core/records/store/cell/write-statements.ts'
import { rulesFor } from '../../core/records/xapi/dialect.ts'
import { sha256 } from './attachments.ts'
import type { TestDatabase } from './database.ts'
import type { Game } from './games.ts'
import type { Json } from './statements.ts'
import { preparedFor } from './store.ts'

export type Damaged = Pick<Store, 'statements' | 'attachments' | 'tallies' | 'gameBytes' | 'learnersSeen' | 'close'>

/** A store whose connections have lost their cell, as a pooler left them: each works on the first schema of its server. */
export function damagedStore(url: string, servers: ReadonlyMap<string, string> = new Map()): Damaged {
  const open = (at: string) => openDatabase({ url: at, connections: 4, wait: 9_000, statementTimeout: 30_000 })
  return storeOver(open(url), () => open(url), {
    has: (server) => servers.has(server),
    within: (server, work) => work(open(servers.get(server)!)),
    open: (_, server) => open(servers.get(server())!),
    add: async () => false,
  })
}

/** The game as core knows it: with its credential and its cell. */
export async function callerOf({ sql }: TestDatabase, { key }: Game): Promise<Caller> {
  const [row] = await sql<{ id: number; version: number; game: number; cell: number; uuid: string; authority: string }>(
    `select c.id, c.version, c.game, t.cell, t.uuid, c.authority from credential c join tenant t on t.game = c.game
      where c.key = $1`,
    [key],
  )
  const { id, version, game, cell, uuid, authority } = row!
  return {
    credential: id,
    credentialVersion: version,
    game,
    cell,
    key,
    gameId: uuid,
    authority,
    scopes: [],
    rules: rulesFor('1.0.3', 'games'),
  }
}

/** Stores statements where the game's cell is not; `content` comes with the first of them. Answers their ids. */
export async function misplace(
  damaged: Damaged,
  database: TestDatabase,
  game: Game,
  list: readonly Json[],
  content?: string,
): Promise<string[]> {
  const caller = await callerOf(database, game)
  const attached: Attached[] = []
  if (content !== undefined) {
    const kept = [undefined, 0, Buffer.from(content), sha256(content), Buffer.byteLength(content)] as const
    const attachment = await damaged.attachments.keep(caller.cell, ...kept)
    attached.push({ statement: 0, attachment, contentType: 'text/plain' })
  }
  const prepared = preparedFor(caller, list)
  const send = () => damaged.statements.store([{ ...caller, prepared, attached }])
  let [outcome] = await send()
  // another server is told of the credential first
  if (outcome === 'stale') [outcome] = await send()
  if (typeof outcome !== 'object') throw new Error(`the damaged store says ${outcome}`)
  return prepared.ids
}
