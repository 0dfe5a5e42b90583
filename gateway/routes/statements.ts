import type { IncomingMessage } from 'node:http'
import { create } from '@bufbuild/protobuf'
import { StoreStatementsRequestSchema } from '../../gen/lrs/v1/statements_pb.js'
import { sizes } from '../../shared/limits.ts'
import { paths } from '../../shared/rest.ts'
import type { Relay } from '../core-connection/relay.ts'
import { json } from '../http/answer.ts'
import { boundaryOf, readMultipart } from '../http/multipart.ts'
import { checkJsonType, required } from '../http/head.ts'
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

const QUOTE = 0x22
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** The shortest statement: actor, verb and object, each with its identifier. */
const minBytes = 50

/**
 * Whether a body is an array of more than `max` objects: then it need not be sent to core to be refused. False for
 * valid JSON with fewer. For invalid JSON it may return either, because core refuses that, too. Stops as soon as it is
 * sure.
 */
export function hasMoreThan(max: number, body: Uint8Array): boolean {
  const { length } = body
  if (length < max * minBytes) return false
  let at = 0
  while (isSpace(body[at]!)) at++
  if (body[at++] !== OPEN_ARRAY) return false
  let depth = 1
  let count = 0
  while (at < length) {
    const byte = body[at++]!
    if (byte === QUOTE) {
      let inside
      while ((inside = body[at++]) !== QUOTE && at < length) if (inside === BACKSLASH) at++
    } else if (byte < OPEN_ARRAY) continue
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth++
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      if (--depth === 1 && ++count > max) return true
      if (depth === 0) return false
    }
  }
  return false
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}
