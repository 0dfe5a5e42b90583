import { fresh, type Caller } from '../caller.ts'
import { sizes } from '../limits.ts'
import { Refusal } from '../refusal.ts'
import { prepareStatements, TooMany, type Prepared } from '../xapi/prepare.ts'
import { Problem } from '../xapi/problem.ts'
import { timestampOf } from '../xapi/timestamp.ts'
import { isUuid } from '../xapi/uuid.ts'
import type { Ingest } from './ingest.ts'

/**
 * Stores the statements of one request, all or none, and answers their ids after the commit.
 * @param json one statement or an array; with `statementId` (PUT) one statement, which gets that id
 * @throws Problem, Refusal
 */
export async function storeStatements(ingest: Ingest, caller: Caller, json: Uint8Array, statementId?: string): Promise<string[]> {
  if (json.byteLength > sizes.statementsBody) throw new Refusal('too-large', 'Request body too large')
  if (statementId !== undefined && !isUuid(statementId)) throw new Problem('statementId', 'must be a UUID')
  const prepared = prepare(caller, json, statementId?.toLowerCase())
  if (prepared.statements.length > 0) fresh(await ingest.store({ ...caller, prepared }))
  return prepared.ids
}

function prepare(caller: Caller, json: Uint8Array, statementId: string | undefined): Prepared {
  try {
    const prepared = prepareStatements(json, {
      rules: caller.rules,
      authority: caller.authority,
      actor: caller.learner?.actor,
      statementId,
      now: timestampOf(Date.now() * 1000),
      maxStatements: sizes.statementsPerRequest,
    })
    return mayDefine(caller) ? prepared : { ...prepared, activities: prepared.activities.map(({ definition: _, ...activity }) => activity) }
  } catch (error) {
    if (error instanceof TooMany) throw new Refusal('too-many-statements', `Too many statements in one request: max ${error.max} statements.`)
    throw error
  }
}

/** Without the scope `define` a credential names activities, but does not say what they are. */
const mayDefine = ({ scopes }: Caller) => scopes.includes('define') || scopes.includes('all')
