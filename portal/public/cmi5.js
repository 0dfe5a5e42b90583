/*
 * Runs the game as a unit of cmi5 for the system that launched it (docs/cmi5.md): asks for its token once, says
 * `initialized`, opens the game, and says `terminated` when the learner leaves. The token stays in this page and in the
 * game, and is kept nowhere.
 */
import { follows, statementOf } from './cmi5-statements.js'

const given = Object.fromEntries(new URLSearchParams(location.search))
const frame = document.querySelector('#game')
const bar = document.querySelector('.loading')
const leave = document.querySelector('#leave')
/** As long as the game has to send its last statements. */
const sendsMs = 1_500
/** The learner waits that long at most until all is stored. */
const storesMs = 10_000

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds))
/** Without cookies, and not to where a redirection leads. */
const call = (address, init) => fetch(address, { credentials: 'omit', redirect: 'error', ...init })

/** What the system gave; undefined: the game may not report yet. */
let unit
let began
let isOver = false
const said = new Set()
const waiting = []
let sending

const ask = (path, init = {}) =>
  call(given.endpoint.replace(/\/*$/, '/') + path, {
    ...init,
    headers: { Authorization: unit.auth, 'X-Experience-API-Version': '1.0.3', ...init.headers },
  })
const post = (statements) =>
  ask('statements', {
    method: 'POST',
    body: JSON.stringify(statements),
    headers: { 'Content-Type': 'application/json' },
    keepalive: true,
  })

/** @throws Error with what failed, for people who run the system */
async function jsonOf(what, answer) {
  const response = await answer.catch((error) => {
    throw new Error(`${what}: ${error.message}`)
  })
  if (!response.ok) throw new Error(`${what}: ${response.status}`)
  return response.json().catch(() => {
    throw new Error(`${what}: not JSON`)
  })
}

async function begin() {
  const { activityId, registration } = given
  for (const name of ['actor', 'registration', 'activityId']) if (!given[name]) throw new Error(`${name} is missing`)
  const actor = await jsonOf('actor', Promise.resolve(new Response(given.actor)))
  const token = await jsonOf('fetch', call(given.fetch, { method: 'POST' }))
  if (!token['auth-token']) throw new Error(`fetch: ${token['error-code']} ${token['error-text'] ?? ''}`)
  unit = { actor, activityId, registration, auth: `Basic ${token['auth-token']}` }

  const { actor: agent } = given
  const state = new URLSearchParams({ agent, activityId, registration, stateId: 'LMS.LaunchData' })
  const data = await jsonOf('LMS.LaunchData', ask(`activities/state?${state}`))
  if (!data.contextTemplate) throw new Error('LMS.LaunchData: contextTemplate is missing')
  // a learner without preferences, or whose preferences are secret, plays without
  const profile = new URLSearchParams({ agent, profileId: 'cmi5LearnerPreferences' })
  const learnerPreferences = await jsonOf('preferences', ask(`agents/profile?${profile}`)).catch(() => undefined)
  unit = { ...data, masteryScore: data.masteryScore ?? undefined, learnerPreferences, ...unit }

  for (const verb of unit.launchMode === 'Normal' ? ['completed', 'passed'] : []) {
    const id = `http://adlnet.gov/expapi/verbs/${verb}`
    const query = new URLSearchParams({ agent, registration, activity: activityId, verb: id, limit: 1 })
    const before = await jsonOf(verb, ask(`statements?${query}`)).catch(() => undefined)
    if (before?.statements?.length > 0) said.add(verb)
  }

  began = performance.now()
  await jsonOf('initialized', post([statementOf({ verb: 'initialized' }, unit)]))
  leave.hidden = false
  frame.src = frame.dataset.src
}

/** Sends one statement after the other: one that is refused takes no other with it. */
async function sendAll() {
  for (let tries = 0; waiting.length > 0;) {
    const [statement] = waiting.splice(0, 1)
    const response = await post([statement]).catch(() => undefined)
    if (!response || response.status === 429 || response.status >= 500) {
      waiting.unshift(statement)
      await wait(Math.min(1000 * 2 ** tries++, 30_000))
    } else if (!response.ok) console.error(`cmi5: ${statement.verb.id}: ${response.status}`, await response.text())
  }
}
const flush = () => (sending ??= sendAll().finally(() => (sending = undefined)))
const say = (what) => waiting.push(statementOf(what, unit, (performance.now() - began) / 1000))

function terminate() {
  frame.remove()
  if (began !== undefined && !isOver) say({ verb: 'terminated' })
  isOver = true
}

const launchOf = ({ auth, actor, activityId, registration, ...others }) => {
  const { contextTemplate, launchMode, launchParameters, learnerPreferences } = others
  const cmi5 = { contextTemplate, launchMode, launchParameters, learnerPreferences }
  return { type: 'xapi-launch', endpoint: given.endpoint, auth, actor, registration, activity_id: activityId, cmi5 }
}

addEventListener('message', ({ source, data }) => {
  if (began === undefined || source === null || source !== frame.contentWindow) return
  // a game that does not know cmi5 would leave out the template: it gets nothing, and reports nothing
  if (data?.type === 'xapi-launch-request' && data.cmi5 === true) source.postMessage(launchOf(unit), '*')
  if (data?.type !== 'xapi-cmi5') return
  for (const what of follows(data, unit, said)) {
    said.add(what.verb)
    say(what)
  }
  void flush()
})
bar.hidden = false
frame.addEventListener('load', () => (bar.hidden = frame.src !== ''))

/** Shows a card in place of the game. */
function show(card) {
  for (const gone of [frame, bar, leave, document.querySelector('#full-screen')]) gone?.remove()
  document.querySelector(card).hidden = false
}

leave.addEventListener('click', async () => {
  leave.disabled = true
  leave.textContent = leave.dataset.saving
  // a game sends its last statements when it closes
  frame.remove()
  await wait(sendsMs)
  terminate()
  await Promise.race([flush(), wait(storesMs)])
  // no script of the system runs here
  if (/^https?:\/\//i.test(unit.returnURL)) location.replace(unit.returnURL)
  else show('#over')
})
addEventListener('pagehide', () => {
  terminate()
  if (waiting.length > 0) void post(waiting.splice(0)).catch(() => {})
})

begin().catch((error) => {
  document.querySelector('#failed code').textContent = error.message
  show('#failed')
  isOver = true
})
