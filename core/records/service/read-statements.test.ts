import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { QueryStatementsRequestSchema } from '../../../gen/lrs/v1/statements_pb.js'
import { query } from './read-statements.ts'

test.each([
  [{ onlyConsistentThrough: true }, true],
  // of a gateway of 0.1
  [{ since: '9999-12-31T23:59:59Z', limit: 1, ascending: true }, true],
  [{ since: '9999-12-31T23:59:59.000Z' }, false],
  [{}, false],
])('a sandbox does not show what a gateway asks by itself: %j, %s', (request, hidden) => {
  expect(query.shown!.unless!(create(QueryStatementsRequestSchema, request))).toBe(hidden)
})
