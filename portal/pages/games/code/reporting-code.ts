import type { Sample } from './client-code.ts'

/** With the client: all that a game has to do. */
export const withClient = `import { connect } from './games-lrs.js'

const lrs = await connect() // without a launch context the game plays on, and nothing is reported
await lrs.initialized()

// whenever something is achieved
await lrs.completed({ id: 'level-1', name: 'Level 1' }, { score: 0.8 })

// a saved game, which the same learner finds again on every machine
const save = await lrs.state().get('save') // { value, etag }, or undefined
await lrs.state().put('save', { level: 2 }, save?.etag ?? null)`

/** The same with nothing but the browser. */
export const withFetch = `const launch = Object.fromEntries(new URLSearchParams(location.search))
history.replaceState(null, '', location.pathname) // so that the token is in nobody's bookmarks

const statement = {
  id: crypto.randomUUID(), // made once: sent again with the same id, it is stored once
  actor: JSON.parse(launch.actor),
  verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { en: 'completed' } },
  object: { id: launch.activity_id + '/level-1', definition: { name: { en: 'Level 1' } } },
  result: { completion: true, score: { scaled: 0.8 } },
  context: { registration: launch.registration },
}
const headers = { Authorization: launch.auth, 'X-Experience-API-Version': '1.0.3', 'Content-Type': 'application/json' }
const response = await fetch(launch.endpoint + 'statements', { method: 'POST', headers, body: JSON.stringify([statement]) })
if (!response.ok) console.error(response.status, await response.text()) // says what was wrong, and where`

const verbAndResult = `verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { en: 'completed' } },
  result: { completion: true, score: { scaled: 0.8 } },`
const level = `{ id: activity_id + '/level-1', definition: { name: { en: 'Level 1' } } }`

/** Clients of others that find their way with the address of the page. */
export const withOthers: readonly Sample[] = [
  {
    name: 'TinCanJS',
    code: `const tincan = new TinCan({ url: location.href }) // endpoint, auth, actor, registration
const activity_id = tincan.activity.id
const statement = {
  ${verbAndResult}
  target: ${level},
}
tincan.sendStatement(statement, ([{ err }]) => console.log(err === null ? 'stored' : \`refused: \${err}\`))`,
  },
  {
    name: '@xapi/xapi',
    code: `import XAPI from '@xapi/xapi'

const { endpoint, auth, actor, registration, activity_id } = XAPI.getSearchQueryParamsAsObject(location.search)
const xapi = new XAPI({ endpoint, auth, version: '1.0.3', adapter: 'fetch' })
const statement = {
  actor,
  ${verbAndResult}
  object: ${level},
  context: { registration },
}
await xapi.sendStatement({ statement })`,
  },
  {
    name: 'xAPIWrapper',
    code: `const { actor, activity_id } = ADL.XAPIWrapper.lrs // it has read the address; registration it adds by itself
const statement = {
  actor: JSON.parse(actor),
  ${verbAndResult}
  object: ${level},
}
ADL.XAPIWrapper.sendStatement(statement, ({ status }) => console.log(status === 200 ? 'stored' : \`refused: \${status}\`))`,
  },
]

/** launch.json, and what the other forms hold. */
export const launchFile = (endpoint: string): string => `{
  "endpoint": ${JSON.stringify(endpoint)},
  "auth": "Bearer eyJhbGciOi…",
  "actor": { "objectType": "Agent", "name": "Ada",
    "account": { "homePage": "https://…/learners", "name": "6f1d2c3b-…" } },
  "registration": "0b0a7f52-…",
  "activity_id": "https://…/games/5c4e…"
}`
