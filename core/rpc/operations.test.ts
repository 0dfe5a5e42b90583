import { expect, test } from 'vitest'
import { AttachmentService } from '../../gen/lrs/v1/attachments_pb.js'
import { DocumentService } from '../../gen/lrs/v1/documents_pb.js'
import { RelayRequestSchema } from '../../gen/lrs/v1/relay_pb.js'
import { StatementService } from '../../gen/lrs/v1/statements_pb.js'
import { declaredOf, operations } from './services/services.ts'

const names = (methods: readonly { readonly name: string }[]) => methods.map(({ name }) => name).toSorted()

test('every method of games is declared for them, and each unary one has its operation, once', () => {
  const methods = [StatementService, DocumentService, AttachmentService].flatMap((service) => service.methods)
  for (const method of methods) expect(declaredOf(method)!.who, method.name).toContain('game')
  const unary = methods.filter(({ methodKind }) => methodKind === 'unary')
  expect(names(operations.map(({ method }) => method))).toEqual(names(unary))
})

test('every call that a gateway may relay has the operation whose request it carries', () => {
  const own = ['noteRefusal', 'identify']
  const calls = RelayRequestSchema.oneofs[0]!.fields.filter(({ localName }) => !own.includes(localName))
  expect(calls.length).toBeGreaterThanOrEqual(10)
  for (const { localName, message } of calls) {
    const operation = operations.find(({ method }) => method.localName === localName)
    expect(operation?.method.input.typeName, localName).toBe(message?.typeName)
  }
})
