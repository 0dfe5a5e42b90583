/** A statement as a line for people. */
import { amount } from './show.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- what others sent
type Json = any

export const parsed = (bytes: Uint8Array): Json => JSON.parse(Buffer.from(bytes).toString())

export const statementColumns = {
  'stored (UTC)': ({ stored = '' }: Json): string => stored.slice(0, 19).replace('T', ' '),
  actor: ({ actor = {} }: Json): string => agentName(actor),
  verb: ({ verb = {} }: Json): string => oneOf(verb.display) ?? tail(verb.id),
  object: ({ object = {} }: Json): string => objectName(object),
  result: ({ result }: Json): string => (result ? resultText(result) : ''),
}

function agentName({ name, mbox, account, openid, mbox_sha1sum: sum, member = [] }: Json): string {
  return name ?? mbox?.replace(/^mailto:/i, '') ?? account?.name ?? openid ?? sum ?? amount(member.length, 'member')
}

function objectName({ objectType = 'Activity', id, definition, verb, ...agent }: Json): string {
  if (objectType === 'Activity') return oneOf(definition?.name) ?? id ?? ''
  if (objectType === 'StatementRef') return `statement ${id}`
  return objectType === 'SubStatement' ? `(${tail(verb?.id)} …)` : agentName(agent)
}

function resultText({ score, success, completion, duration, response }: Json): string {
  const points = score?.scaled ?? (score?.max === undefined ? score?.raw : `${score.raw ?? '?'} of ${score.max}`)
  const words = [
    points,
    success === undefined ? undefined : success ? 'success' : 'failure',
    completion === undefined ? undefined : completion ? 'complete' : 'incomplete',
    duration,
    response,
  ]
  return words
    .filter((word) => word !== undefined)
    .join(', ')
    .slice(0, 60)
}

const oneOf = (languages: Json): string | undefined =>
  languages?.['en'] ?? languages?.['en-US'] ?? Object.values(languages ?? {})[0]
const tail = (iri: Json): string =>
  String(iri ?? '')
    .replace(/[/#]+$/, '')
    .split(/[/#]/)
    .at(-1)!
