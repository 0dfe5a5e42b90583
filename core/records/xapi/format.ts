import { acceptLanguages, chooseLanguage } from './languages.ts'
import { members, drop, splice, type Edit } from './spans.ts'
import { inEach, inObject, inStatement, type Walk } from './walk.ts'

/** How statements are shown (xAPI 1.0.3 Communication 2.1.3). */
export interface Form {
  readonly format: 'exact' | 'ids' | 'canonical'
  /** The Accept-Language header, for `canonical`. */
  readonly acceptLanguage: string
}

/** Formats the JSON of a stored statement. */
export function formatter({ format, acceptLanguage }: Form): (json: string) => string {
  if (format === 'exact') return (json) => json
  if (format === 'ids') return idsOnly
  const languages = acceptLanguages(acceptLanguage)
  return (json) => canonical(json, languages)
}

const identifiers = new Set(['mbox', 'mbox_sha1sum', 'openid', 'account'])

/** Notes where a language map starts. */
const here: Walk<number> = (_text, start, out) => out.push(start)
const nowhere: Walk<number> = () => {}

const components = inEach(inObject({ description: here }))
const definition = inObject({
  name: here,
  description: here,
  choices: components,
  scale: components,
  source: components,
  target: components,
  steps: components,
})
const languageMaps = inStatement(nowhere, inObject({ display: here }), inObject({ definition }))

/**
 * A stored statement with `format=canonical`: one language in each language map of Verbs and Activities
 * (xAPI Communication 2.1.3), everything else as it came.
 * @param languages what acceptLanguages gave
 */
export function canonical(body: string, languages: string[]): string {
  const starts: number[] = []
  languageMaps(body, 0, starts)
  const edits: Edit[] = []
  for (const start of starts) {
    const list = members(body, start)
    const chosen = chooseLanguage(list, languages)
    drop(list, (member) => member !== chosen, edits)
  }
  return splice(body, 0, body.length, edits)
}

const ids = inStatement(identifierOnly, idOnly, idOnly)

/** A stored statement with `format=ids`: Agents, Groups, Verbs and Activities have only their identifiers. */
export function idsOnly(body: string): string {
  const edits: Edit[] = []
  ids(body, 0, edits)
  return splice(body, 0, body.length, edits)
}

function idOnly(text: string, start: number, edits: Edit[]): void {
  drop(members(text, start), ({ key }) => key !== 'id', edits)
}

/** An Agent or Group with its objectType and identifier only; an anonymous Group with its objectType and members. */
function identifierOnly(text: string, start: number, edits: Edit[]): void {
  const list = members(text, start)
  const anonymous = !list.some(({ key }) => identifiers.has(key))
  const identifies = (key: string) => key === 'objectType' || identifiers.has(key) || (anonymous && key === 'member')
  drop(list, ({ key }) => !identifies(key), edits)
  const member = anonymous && list.find(({ key }) => key === 'member')
  if (member) inEach(identifierOnly)(text, member.valueStart, edits)
}
