import { globSync } from 'node:fs'
import type { DescMethod, DescService } from '@bufbuild/protobuf'
import { player } from './statements.ts'

/** Every service of the contract, as generated from proto/. */
const files = globSync('gen/{lrs,grpc}/**/*_pb.js').toSorted()
const modules = await Promise.all(
  files.map((file) => import(/* @vite-ignore */ `../../${file}`) as Promise<Record<string, DescService>>),
)
export const contract = modules.flatMap((module) => Object.values(module)).filter(({ kind }) => kind === 'service')

const agent = JSON.stringify(player('ann'))
const scope = { kind: { case: 'agentProfile', value: { agent } } }
const document = { scope, id: 'x' }
/** The contract refuses some messages before the session is checked: invalid ids and empty fields. */
const messages: Record<string, object> = {
  getPerson: { agent },
  getActivity: { activityId: 'https://example.org/a' },
  getAttachment: { sha2: 'a'.repeat(64) },
  storeWithAttachments: { part: { case: 'statements', value: {} } },
  importStatements: { part: { case: 'end', value: {} } },
  putDocument: { ...document, contentType: 'text/plain' },
  getDocument: document,
  deleteDocument: document,
  listDocuments: { scope },
  deleteDocuments: { scope },
}

/** What some methods take beside ids. */
const further: Readonly<Record<string, object>> = {
  addForward: { settings: {} },
  changeForward: { settings: {} },
  testForward: { settings: {}, forwardId: '' },
  sendAgain: { since: '2026-01-01T00:00:00Z' },
}

/** As little as a method takes. @param id UUID for all fields that want one */
export const leastMessage = ({ localName, input }: DescMethod, id: string): object =>
  messages[localName] ?? {
    ...Object.fromEntries(input.fields.flatMap(({ localName: name }) => (name.endsWith('Id') ? [[name, id]] : []))),
    ...further[localName],
  }
