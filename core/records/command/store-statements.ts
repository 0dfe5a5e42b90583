import { sizes } from '../../../shared/limits.ts'
import { tooLarge } from '../../../shared/reasons.ts'
import { throwIfStale, type Caller } from '../access/caller.ts'
import { type Reservations, requireVoidable, withoutForeignDefinitions } from './checks.ts'
import { Refusal } from '../../process/refusal.ts'
import type { Store } from '../../store.ts'
import type { Attached } from '../store/cell/write-statements.ts'
import { checkDelivered, declaredContents, type Declared } from '../xapi/attachment.ts'
import { knowledgeKey } from '../xapi/document-scope.ts'
import type { Key } from '../xapi/identify.ts'
import { laneOf, prepareStatements, TooMany, type Preparation, type Prepared } from '../xapi/prepare.ts'
import { Problem } from '../../process/problem.ts'
import { timestampOf } from '../xapi/timestamp.ts'
import { isUuid } from '../xapi/values.ts'
import type { GameRoom } from '../access/game-room.ts'
import type { IngestByCell } from './ingest.ts'
import type { Received } from './receive-attachments.ts'
import type { HeavyWork } from '../worker/worker.ts'
import { ours, say } from '../../../shared/say.ts'

/** The statements of one request. */
export interface Submission {
  /** One statement or an array; with `statementId` (PUT) one statement, which gets that id. */
  readonly json: Uint8Array
  readonly statementId?: string
  /** The caller has counted them already: they are more than one request may carry. */
  readonly tooMany?: boolean
  /** Takes in the contents that come with the request, once the statements are found good; none: none come. */
  readonly receive?: (declared: Declared) => Promise<Received>
}

/** The parts of core that storing statements needs. */
export interface Needs {
  readonly work: HeavyWork
  readonly ingest: IngestByCell
  readonly room: GameRoom
  readonly store: Pick<Store, 'statements'>
  readonly reservations: Reservations
}

const nothing: Received = new Map()

/**
 * Stores the statements of one request, all or none, and answers their ids after the commit.
 * @throws Problem, Refusal
 */
export async function storeStatements(
  needs: Needs,
  caller: Caller,
  { json, statementId, tooMany, receive }: Submission,
): Promise<string[]> {
  const { work, ingest, room, store, reservations } = needs
  if (json.byteLength > sizes.statementsBody) throw new Refusal('too-large', ours(tooLarge(sizes.statementsBody)))
  if (statementId !== undefined && !isUuid(statementId)) throw new Problem('statementId', 'must be a UUID')
  if (tooMany) throw tooManyStatements(sizes.statementsPerRequest)
  ingest.expectRoom(caller, json.byteLength)
  room.take(caller.game, json.byteLength)
  const prepared = await prepareRequest(work, caller, json, statementId?.toLowerCase())
  await requireVoidable(store, caller, prepared)
  const declares = prepared.statements.some(({ attachments }) => attachments.length > 0)
  const declared: Declared = declares ? declaredContents(prepared) : new Map()
  const received = receive ? await receive(declared) : nothing
  if (declares) checkDelivered(declared, received)
  // last, because contents may take long to arrive, and reservations may change meanwhile
  const own = withoutForeignDefinitions(await reservations.owners(), caller, prepared)
  const outcome = throwIfStale(
    await ingest.store({ ...caller, prepared: own, attached: attachedTo(prepared, received) }),
  )
  if (outcome === 'overlinked') throw tooManyLinks()
  return prepared.ids
}

/** The limits are most_referrers() and most_links() in Postgres. */
export const tooManyLinks = () =>
  new Problem(
    '',
    ours(
      'must make at most 2,000 links by StatementRefs (one for each agent, ' +
        'verb, activity and registration of a target), and at most 500 stored statements may refer to its statements. ' +
        'Send fewer statements at a time.',
    ),
  )

/** Which statement comes with which content. */
export function attachedTo({ statements }: Prepared, received: Received): Attached[] {
  if (received.size === 0) return []
  return statements.flatMap(({ attachments }, statement) =>
    attachments.flatMap(({ sha2, contentType }) => {
      const attachment = received.get(sha2)
      return attachment === undefined ? [] : { statement, attachment, contentType }
    }),
  )
}

/** Prepares the caller's statements for storing. @throws Problem, TooMany, Refusal 'unavailable' */
export async function prepare(
  work: HeavyWork,
  caller: Caller,
  json: Uint8Array,
  more: Pick<Preparation, 'statementId' | 'maxStatements'> & Partial<Preparation>,
): Promise<Prepared> {
  const { rules, authority, learner } = caller
  const how = { rules, authority, actor: learner?.actor, now: timestampOf(Date.now() * 1000), ...more }
  const lane = laneOf(json)
  // a copy, because all of the buffer behind it would be sent
  const prepared = lane
    ? await work.run('prepare', caller.game, { json: new Uint8Array(json), how }, lane)
    : prepareStatements(json, how)
  const told = caller.sandbox === undefined ? prepared : keptApart(prepared, caller.sandbox)
  return mayDefine(caller)
    ? told
    : { ...told, activities: told.activities.map(({ definition: _, ...activity }) => activity) }
}

async function prepareRequest(
  work: HeavyWork,
  caller: Caller,
  json: Uint8Array,
  statementId: string | undefined,
): Promise<Prepared> {
  try {
    return await prepare(work, caller, json, { statementId, maxStatements: sizes.statementsPerRequest })
  } catch (error) {
    if (error instanceof TooMany) throw tooManyStatements(error.max)
    throw error
  }
}

const tooManyStatements = (max: number) =>
  new Refusal('too-many-statements', say`Too many statements in one request: max ${ours(max)} statements.`)

/** Definitions and names from a sandbox are known in that sandbox only. */
function keptApart(prepared: Prepared, sandbox: string): Prepared {
  const apart = <Mention extends { key: Key }>(mention: Mention): Mention => ({
    ...mention,
    key: knowledgeKey(mention.key, sandbox),
  })
  return { ...prepared, activities: prepared.activities.map(apart), agents: prepared.agents.map(apart) }
}

/** Without the scope `define` a credential names activities, but does not say what they are. */
const mayDefine = ({ scopes }: Caller) => scopes.includes('define') || scopes.includes('all')
