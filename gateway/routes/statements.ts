import type { IncomingMessage } from 'node:http'
import { create } from '@bufbuild/protobuf'
import { StoreStatementsRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import { sizes } from '../../shared/limits.ts'
import { paths } from '../../shared/rest.ts'
import type { Relay } from '../core-connection/relay.ts'
import { json } from '../http/answer.ts'
import { hasMoreThan } from '../http/count-statements.ts'
import { checkJsonType } from '../http/json-type.ts'
import { boundaryOf, readMultipart } from '../http/multipart.ts'
import { required } from '../http/parameters.ts'
import { submissionOf } from '../http/submission.ts'
import type { Action, RequestContext, Resource } from '../resource.ts'
import { readStatements } from './read-statements.ts'

/** Core needs only the first 16 KB of a request with too many statements, to show it in the sandbox. */
const shownBytes = 16 * 1024
const body: Action['body'] = {
  limit: sizes.statementsBody,
  check: (headers) =>
    isMultipart(headers) ||
    checkJsonType(headers['content-type'], 'Content-Type', 'application/json or multipart/mixed'),
  streams: isMultipart,
}

/** The Statement resource (xAPI 1.0.3 Communication 2.1). */
export function statements(): Resource {
  const post: Action = {
    parameters: {},
    body,
    run: async (context, relay) => json(JSON.stringify(await store(context, relay, ''))),
  }

  const put: Action = {
    parameters: { statementId: required },
    body,
    async run(context, relay) {
      await store(context, relay, context.parameters.statementId!)
      return { status: 204 }
    },
  }

  return { path: paths.statements, actions: { POST: post, PUT: put, GET: readStatements() } }
}

function isMultipart({ 'content-type': type = '' }: IncomingMessage['headers']): boolean {
  return /^multipart\/mixed[ \t]*(?:;|$)/i.test(type)
}

async function store(
  { body: bytes, incoming, headers, caller }: RequestContext,
  relay: Relay,
  statementId: string,
): Promise<string[]> {
  if (incoming !== undefined) {
    const pieces = readMultipart(incoming.body, boundaryOf(headers['content-type']!))
    return relay.attachments.store(submissionOf(pieces, statementId, incoming.held), caller)
  }
  const tooMany = statementId === '' && hasMoreThan(sizes.statementsPerRequest, bytes)
  const json = tooMany ? bytes.subarray(0, shownBytes) : bytes
  const call = create(StoreStatementsRequestSchema, { json, statementId, tooMany })
  const { ids } = await relay.call('storeStatements', call, caller)
  return ids
}
