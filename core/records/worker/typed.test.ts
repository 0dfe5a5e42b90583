import { fromBinary, toBinary, toJson } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StatementSchema } from '../../../gen/lrs/v1/xapi_pb.js'
import { jsonText } from '../../../test/support/random-json.ts'
import { typed } from './typed.ts'

const deepText = fc
  .tuple(fc.integer({ min: 0, max: 50 }), jsonText)
  .map(([levels, inner]) => '['.repeat(levels) + inner + ']'.repeat(levels))

test('a statement with any extension has a message that decoders can read', () => {
  fc.assert(
    fc.property(deepText, deepText, (one, other) => {
      const message = typed(
        Buffer.from(
          `{"id":"x","result":{"extensions":{"urn:a":${one}}},"context":{"extensions":{"urn:a":${one},"urn:b":${other}}}}`,
        ),
      )
      const read = fromBinary(StatementSchema, toBinary(StatementSchema, message))
      expect(toJson(StatementSchema, read)).toEqual(toJson(StatementSchema, message))
      const { extensions, deepExtensions } = read.context!
      expect([...Object.keys(extensions), ...Object.keys(deepExtensions)].toSorted()).toEqual(['urn:a', 'urn:b'])
      for (const bytes of Object.values(deepExtensions))
        expect([one, other].map((text) => text.trim())).toContain(Buffer.from(bytes).toString())
    }),
  )
})
