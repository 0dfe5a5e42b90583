/*
 * Reports to the learning record store with plain fetch: statements go out in batches, and again with the same ids after
 * 429, 5xx and lost connections, so that nothing is stored twice. Nothing is kept on the machine: a sandboxed frame has no
 * storage. Without a launch context everything here does nothing.
 */
const flushAfter = 5000 // milliseconds that a statement may wait for others
const flushAt = 20 // statements that do not wait; also what a browser sends of a page that goes away (64 KB)
const batchSize = 250 // the most that the service takes at once
const longestWait = 60_000
const ofUnit = ['initialized', 'completed', 'passed', 'failed', 'terminated']

/** @param launch of readLaunch; @param onStatus is told 'sent', 'waiting' or 'refused' */
export function reporter(launch, onStatus = () => {}) {
  const waiting = []
  const began = Date.now()
  let timer
  let failures = 0
  let isSending = false

  const request = (path, init = {}) =>
    fetch(new URL(path, launch.endpoint), {
      ...init,
      headers: { Authorization: launch.auth, 'X-Experience-API-Version': '1.0.3', 'Content-Type': 'application/json' },
    })
  const post = (batch, keepalive = false) =>
    request('statements', { method: 'POST', body: JSON.stringify(batch), keepalive })
  const later = (milliseconds) => {
    clearTimeout(timer)
    timer = setTimeout(() => void flush(), milliseconds)
  }
  const growing = () => Math.min(1000 * 2 ** failures++, longestWait) * (0.75 + Math.random() / 2)

  /** Sends what waits, one batch after the other. */
  async function flush() {
    clearTimeout(timer)
    if (!launch || isSending || waiting.length === 0) return
    isSending = true
    const batch = waiting.slice(0, batchSize)
    const response = await post(batch).catch(() => undefined)
    isSending = false
    if (isTransient(response)) {
      onStatus('waiting')
      return later(growing())
    }
    failures = 0
    // any other 4xx: the request itself is wrong, and would be wrong again
    if (!response.ok) console.error('The record store refused statements:', response.status, await response.text())
    onStatus(response.ok ? 'sent' : 'refused')
    waiting.splice(0, batch.length)
    if (waiting.length > 0) later(0)
  }

  /** One statement: verb and object by name, the rest of the statement as it is. */
  function send(verb, activity, more = {}) {
    if (!launch) return
    const { definition, id = launch.activityId } = activity
    const { template } = launch
    // another system wants to hear this of the whole game from the page around, once and in order (docs/cmi5.md)
    if (template && id === launch.activityId && ofUnit.includes(verb))
      return window.parent.postMessage({ type: 'xapi-cmi5', verb, result: more.result }, '*')
    waiting.push({
      id: uuid(),
      actor: launch.actor,
      verb: { id: `http://adlnet.gov/expapi/verbs/${verb}`, display: { en: verb } },
      object: { objectType: 'Activity', id, definition },
      context: {
        registration: launch.registration,
        ...template,
        contextActivities: {
          parent:
            id === launch.activityId
              ? undefined
              : [{ objectType: 'Activity', id: activity.parent ?? launch.activityId }],
          ...template?.contextActivities,
        },
      },
      timestamp: new Date().toISOString(),
      ...more,
    })
    if (waiting.length >= flushAt) void flush()
    else if (waiting.length === 1 && !isSending) later(flushAfter)
  }

  /** The page goes away: the last batch goes out after it. What is sent twice has the same ids, so it counts once. */
  function leave(activity) {
    if (!launch) return
    send('terminated', activity, { result: { duration: duration(Date.now() - began) } })
    if (waiting.length > 0) void post(waiting.splice(0, flushAt), true).catch(() => {})
  }

  const place = (id) =>
    `activities/state?${new URLSearchParams({ activityId: launch.activityId, agent: JSON.stringify(launch.actor), stateId: id })}`

  /** What was saved under this id, also in an earlier session; undefined: nothing. */
  async function load(id) {
    const response = launch && (await request(place(id)).catch(() => undefined))
    return response?.ok ? response.json() : undefined
  }

  const saving = new Map()
  /** Saves a value; while one is on its way, only the last of those that follow is sent. */
  async function save(id, value) {
    if (!launch) return
    const isUnderWay = saving.has(id)
    saving.set(id, JSON.stringify(value))
    if (isUnderWay) return
    for (let tries = 0; saving.has(id);) {
      const body = saving.get(id)
      const response = await request(place(id), { method: 'PUT', body }).catch(() => undefined)
      if (isTransient(response))
        await new Promise((done) => setTimeout(done, Math.min(1000 * 2 ** tries++, longestWait)))
      else if (saving.get(id) === body) saving.delete(id)
    }
  }

  return { send, flush, leave, load, save }
}

const isTransient = (response) => !response || response.status === 429 || response.status >= 500

/** As ISO 8601 has it. */
export const duration = (milliseconds) => `PT${(milliseconds / 1000).toFixed(2)}S`

/** crypto.randomUUID is for pages with https only. */
function uuid() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6] & 0x0f) | 0x40
  bytes[8] = (bytes[8] & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
