import {
  Form,
  Format,
  GetStatementResponseSchema,
  QueryStatementsResponseSchema,
  StatementService,
  type QueryStatementsRequest,
} from '../../../gen/lrs/v1/statements_pb.js'
import { sizes } from '../../../shared/limits.ts'
import { getActivity, getPerson } from '../query/knowledge.ts'
import { present, presentRun } from '../query/present.ts'
import { getStatement, queryStatements, type Presentation } from '../query/statements.ts'
import type { StoredAttachment } from '../store/cell/attachments.ts'
import type { Scope } from '../store/cell/credentials.ts'
import { Problem } from '../../process/problem.ts'
import { unary } from '../calls/operation.ts'
import { cellReadingOf, cellsOf } from './cell-reading.ts'
import { typedAnswer } from './typed-answer.ts'

/** The scopes that read statements. */
export const read = (): Scope[] => ['statements/read/mine', 'statements/read', 'all/read']

export const get = unary(StatementService.method.getStatement, {
  action: () => 'read statements',
  scopes: read,
  // the attachments are a query of their own
  bypassesFairQueue: ({ attachments }) => !attachments,
  run: async (core, caller, request) => {
    const { statementId, voidedStatementId } = request
    if (statementId !== '' && voidedStatementId !== '')
      throw new Problem('statementId', 'cannot be combined with voidedStatementId')
    const voided = voidedStatementId !== ''
    const how = presentationOf(request)
    const found = await getStatement(core.store, caller, voided ? voidedStatementId : statementId, voided, how)
    const { statement, consistentThrough, attachments } = found
    const [json] = await present(core.work, caller.game, [statement], how)
    const rest = {
      stored: BigInt(statement.stored),
      consistentThrough: BigInt(consistentThrough),
      attachments: attachments.map(contentOf),
    }
    return request.form === Form.TYPED
      ? typedAnswer(core.work, caller.game, [json!], GetStatementResponseSchema, rest)
      : { json, ...rest }
  },
  shown: { outcome: () => ({ message: 'read one statement' }) },
})

export const query = unary(StatementService.method.queryStatements, {
  action: () => 'read statements',
  scopes: read,
  // the fair queue covers the query only, not the formatting of its result
  bypassesFairQueue: true,
  run: async (core, caller, request) => {
    const how = presentationOf(request)
    if (request.byCell?.places) throw new Problem('byCell.places', 'is for Follow: a query begins `since` a time')
    const asked = { ...request, byCell: request.byCell && cellReadingOf(request.byCell) }
    const page = await core.fairQueue.run(caller.game, () => queryStatements(core.store, caller, asked, how))
    const { statements, next, consistentThrough, cells, attachments } = page
    const rest = {
      next,
      consistentThrough: BigInt(consistentThrough),
      attachments: attachments.map(contentOf),
      cells: cells && cellsOf(cells),
    }
    const { work } = core
    if (request.form === Form.JSON_RUN)
      return { jsonRun: await presentRun(work, caller.game, statements, how), ...rest }
    const json = await present(work, caller.game, statements, how)
    return request.form === Form.TYPED
      ? typedAnswer(work, caller.game, json, QueryStatementsResponseSchema, rest)
      : { json, ...rest }
  },
  shown: {
    outcome: () => ({ message: 'read statements' }),
    // a query of the gateway itself; gateways of 0.1 send this time, so the comparison can go in 0.3
    unless: ({ onlyConsistentThrough, since }) => onlyConsistentThrough || since === '9999-12-31T23:59:59Z',
  },
})

export const person = unary(StatementService.method.getPerson, {
  action: () => 'read agents',
  scopes: () => [...read(), 'profile'],
  run: async (core, caller, { agent }) => ({ json: Buffer.from(await getPerson(core, caller, agent)) }),
  shown: { outcome: () => ({ message: 'read what is known of an agent' }) },
})

export const activity = unary(StatementService.method.getActivity, {
  action: () => 'read activities',
  scopes: () => [...read(), 'profile'],
  run: async (core, caller, { activityId }) => ({
    json: Buffer.from(await getActivity(core.store, caller, activityId)),
  }),
  shown: { outcome: ({ activityId }) => ({ message: `read the activity ${activityId}` }) },
})

const formats = {
  [Format.UNSPECIFIED]: 'exact',
  [Format.EXACT]: 'exact',
  [Format.IDS]: 'ids',
  [Format.CANONICAL]: 'canonical',
} as const

const pageBytes: Partial<Record<Form, number>> = { [Form.TYPED]: sizes.page.typed, [Form.JSON_RUN]: sizes.page.run }

type Presented = Pick<QueryStatementsRequest, 'format' | 'form' | 'acceptLanguage' | 'attachments'>

export function presentationOf({ format, form, acceptLanguage, attachments }: Presented): Presentation {
  return { format: formats[format] ?? 'exact', acceptLanguage, attachments, bytes: pageBytes[form] ?? sizes.page.json }
}

const contentOf = ({ sha2, contentType, size }: StoredAttachment) => ({ sha2, contentType, size: BigInt(size) })
