import { isIri, profile, verbs } from './verbs.ts'

/** Types of the serious-games profile. */
const types =
  'serious-game level quest session stage combat story-node race completable dialog-node dialog-fragment screen area zone cutscene reachable accessible menu dialog-tree question path arena alternative enemy item non-player-character game-object mouse keyboard controller touchscreen button device'.split(
    ' ',
  )
const fields = ['score', 'success', 'completion', 'progress', 'duration', 'response', 'extensions']
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const duration = /^P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?)$/
const share = 'Write the share of the highest score, such as 0.8, or a score with raw, min and max.'

const isFrom = (value: unknown, least: number, most: number): boolean =>
  typeof value === 'number' && value >= least && value <= most

/**
 * For debug builds: what is wrong with a statement, with its field and what to write instead. The service would refuse
 * it, or no chart would count it.
 */
// oxlint-disable-next-line typescript/no-explicit-any
export function mistakesOf({ id, verb, object, result = {} }: any): string[] {
  const found: string[] = []
  const want = (holds: boolean, field: string, value: unknown, wrong: string): void => {
    if (!holds) found.push(`${field}: ${JSON.stringify(value)} ${wrong}`)
  }
  if (id !== undefined) want(uuid.test(id), 'id', id, 'is no UUID. Leave it out.')
  const told: unknown = typeof verb === 'string' ? verb : verb?.id
  const name = String(told ?? '')
  const known = (verbs as Record<string, string>)[name || 'completed'] ?? `https://example.org/verbs/${name}`
  want(isIri(name), 'verb.id', told, `is no IRI. Write one, such as "${known}".`)
  const { id: thing = '', definition: { type = '' } = {} } = object ?? {}
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\/\/)/i.exec(thing)?.[1]
  const below = String(thing).replace(':', '/')
  const isTaken = `is taken for a whole IRI with the scheme "${scheme}". Write "${below}".`
  want(scheme === undefined || /^(urn|tag|mailto)$/i.test(scheme), 'object.id', thing, isTaken)
  const space = `${profile}/activity-types/`
  const own = String(type).startsWith(space) ? String(type).slice(space.length) : undefined
  const list = `is no type of the serious-games profile. Write an IRI, or one of ${types.join(', ')}.`
  if (own !== undefined) want(types.includes(own), 'object.definition.type', own, list)

  for (const field of Object.keys(result))
    want(
      fields.includes(field),
      `result.${field}`,
      result[field],
      `is in no field of a result. There are ${fields.join(', ')}.`,
    )
  for (const field of ['success', 'completion'])
    want(
      ['undefined', 'boolean'].includes(typeof result[field]),
      `result.${field}`,
      result[field],
      'is neither true nor false.',
    )
  const { score, progress, duration: took } = result
  if (score !== undefined && typeof score !== 'object')
    want(isFrom(score, -1, 1), 'result.score', score, `is not from -1 to 1. ${share}`)
  const { scaled, raw, min = -Infinity, max = Infinity } = typeof score === 'object' ? score : {}
  if (scaled !== undefined) want(isFrom(scaled, -1, 1), 'result.score.scaled', scaled, `is not from -1 to 1. ${share}`)
  if (raw !== undefined)
    want(isFrom(raw, min, max), 'result.score.raw', raw, `is not from ${min} to ${max}, its min and max.`)
  if (progress !== undefined)
    want(
      isFrom(progress, 0, 1),
      'result.progress',
      progress,
      'is not from 0 to 1. Write the share that is done, such as 0.5.',
    )
  if (took !== undefined)
    want(duration.test(took), 'result.duration', took, 'is no duration of ISO 8601. Write seconds as "PT90S".')
  return found
}
