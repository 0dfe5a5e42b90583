import { attachment, sha256, upload } from './attachments.ts'
import type { CoreClient } from './core-client.ts'
import { reasonOf } from './failures.ts'
import { activity, statement } from './statements.ts'

/**
 * The answer to each kind of call, or to those named, sent directly to a core, where no gateway remembers earlier
 * refusals.
 */
export async function outcomesOf(
  core: CoreClient,
  agent: string,
  only: readonly string[] = [],
): Promise<Record<string, string>> {
  const { statements, attachments, documents } = core
  const json = (value: unknown) => Buffer.from(JSON.stringify(value))
  const id = crypto.randomUUID()
  const activityId = activity('chess').id
  const scope = { kind: { case: 'state', value: { activityId, agent } } } as const
  const document = { scope, id: 'x', content: json({}), contentType: 'application/json' }
  const sha2 = sha256('replay')
  const calls = {
    nothing: () => statements.storeStatements({ json: json([]) }),
    store: () => statements.storeStatements({ json: json(statement()) }),
    wrong: () => statements.storeStatements({ json: json({}) }),
    'store an attachment': () =>
      attachments.storeWithAttachments(
        upload(statement({ attachments: [attachment('replay')] }), [{ sha2, content: Buffer.from('replay') }]),
      ),
    'put a statement': () => statements.storeStatements({ json: json(statement({ id })), statementId: id }),
    'get a statement': () => statements.getStatement({ statementId: id }),
    query: () => statements.queryStatements({ verb: statement().verb.id, activity: activityId }),
    follow: async () => {
      for await (const _ of statements.follow({ start: { case: 'fromNow', value: true } })) break
    },
    'get an attachment': async () => {
      for await (const _ of attachments.getAttachment({ sha2 })) break
    },
    'get a person': () => statements.getPerson({ agent }),
    'get an activity': () => statements.getActivity({ activityId }),
    'put a document': () => documents.putDocument(document),
    'merge a document': () => documents.putDocument({ ...document, merge: true }),
    'get a document': () => documents.getDocument(document),
    'list documents': () => documents.listDocuments(document),
    'delete a document': () => documents.deleteDocument(document),
    'delete documents': () => documents.deleteDocuments(document),
  }
  const outcomes: Record<string, string> = {}
  for (const [name, call] of Object.entries(calls)) {
    if (only.length > 0 && !only.includes(name)) continue
    // simultaneous calls share a query; followers are limited
    const together = name === 'follow' ? [call()] : [call(), call(), call()]
    outcomes[name] = [...new Set(await Promise.all(together.map(reasonOf)))].join()
  }
  return outcomes
}
/** All of them, refused because nobody knows the caller. */
export const refused = (outcomes: Record<string, string>) =>
  Object.fromEntries(Object.keys(outcomes).map((name) => [name, 'UNAUTHENTICATED']))
/** All of them, as a valid caller gets them. */
export const allowed = (outcomes: Record<string, string>) =>
  Object.fromEntries(Object.keys(outcomes).map((name) => [name, name === 'wrong' ? 'INVALID' : 'ok']))
