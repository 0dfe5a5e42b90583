/** A statement as a line for people. */
import { amount } from './amount.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- what others sent
type Json = any

export const statementHead = ['stored (UTC)', 'actor', 'verb', 'object', 'result']

export function statementRow(bytes: Uint8Array): string[] {
  const { stored = '', actor = {}, verb = {}, object = {}, result }: Json = JSON.parse(Buffer.from(bytes).toString())
  return [
    stored.slice(0, 19).replace('T', ' '),
    agentName(actor),
    oneOf(verb.display) ?? tail(verb.id),
    objectName(object),
    result ? resultText(result) : '',
  ]
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
