/*
 * The cmi5 defined statements of a unit (docs/cmi5.md): which follow from what the game says of itself as a whole, and
 * how they look. Pure, so that test/cmi5-statements.test.ts has the rules as data.
 */
const verbs = 'http://adlnet.gov/expapi/verbs/'
const cmi5 = 'https://w3id.org/xapi/cmi5/context'

/**
 * What to send when the game as a whole is `completed`, `passed` or `failed`, each with its scaled score.
 * @param said what was sent: `completed` and `passed` in this registration, `failed` in this session
 * @type {(says: any, unit: any, said: Set<string>) => { verb: string, scaled?: number }[]}
 */
export function follows({ verb, result }, { launchMode, masteryScore }, said) {
  if (launchMode !== 'Normal') return []
  const { completion, success, score } = result ?? {}
  const scaled = Number.isFinite(score?.scaled) ? Math.min(1, Math.max(0, score.scaled)) : undefined
  const own = verb === 'passed' ? true : verb === 'failed' ? false : success
  // with a mastery score nothing else decides
  const passed = masteryScore === undefined ? own : scaled === undefined ? undefined : scaled >= masteryScore
  const found = []
  if ((verb === 'completed' || completion === true) && !said.has('completed')) found.push({ verb: 'completed' })
  if (typeof passed === 'boolean' && !said.has('passed') && !said.has('failed'))
    found.push({ verb: passed ? 'passed' : 'failed', scaled })
  return found
}

/**
 * @param unit what the system gave; @param seconds since `initialized`
 * @type {(what: { verb: string, scaled?: number }, unit: any, seconds?: number) => object}
 */
export function statementOf(
  { verb, scaled },
  { actor, activityId, registration, contextTemplate, masteryScore },
  seconds,
) {
  const isJudged = verb === 'passed' || verb === 'failed'
  const result = {
    ...(verb === 'completed' && { completion: true }),
    ...(isJudged && { success: verb === 'passed' }),
    ...(isJudged && scaled !== undefined && { score: { scaled } }),
    ...(verb !== 'initialized' && { duration: `PT${seconds.toFixed(2)}S` }),
  }
  const { contextActivities = {}, extensions } = contextTemplate
  const categories = [
    `${cmi5}/categories/cmi5`,
    ...(isJudged || verb === 'completed' ? [`${cmi5}/categories/moveon`] : []),
  ]
  return {
    id: uuid(),
    actor,
    verb: { id: verbs + verb, display: { en: verb } },
    object: { objectType: 'Activity', id: activityId },
    ...(verb !== 'initialized' && { result }),
    context: {
      ...contextTemplate,
      registration,
      contextActivities: {
        ...contextActivities,
        category: [contextActivities.category ?? [], categories.map((id) => ({ objectType: 'Activity', id }))].flat(),
      },
      extensions: {
        ...(isJudged && masteryScore !== undefined && { [`${cmi5}/extensions/masteryscore`]: masteryScore }),
        ...extensions,
      },
    },
    timestamp: new Date().toISOString(),
  }
}

/** crypto.randomUUID is for pages with https only. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
