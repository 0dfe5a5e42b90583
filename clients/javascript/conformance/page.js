import { connect } from './games-lrs.js'

let lrs
let before = Promise.resolve()
/** One line after the other. */
function tell(line) {
  before = before.then(() => fetch('/say', { method: 'POST', body: JSON.stringify(line) }))
}
/** As another tab of the same game: the first tab that sends also sends what this one adds. */
let openTab, tab
/** Takes away what some browsers lack. */
const lose = {
  indexedDB: () => (indexedDB.open = () => new EventTarget()),
  'crypto.randomUUID': () => (crypto.randomUUID = undefined),
  'AbortSignal.timeout': () => (AbortSignal.timeout = undefined),
  'navigator.locks': () => Object.defineProperty(navigator, 'locks', { value: undefined }),
}
const documents = (of) => lrs[of]()
const commands = {
  async connect({ lacks = [], env, throws, launch, ...given }) {
    for (const name of lacks) lose[name]()
    if (env) globalThis.process = { versions: { node: '20.0.0' }, env }
    const options = {
      debug: false,
      ...given,
      ...(launch && { launch }),
      onError({ status, message, statement }) {
        tell({ event: 'error', status, message, id: statement?.id })
        if (throws) throw new Error(throws)
      },
    }
    lrs = await connect(options)
    tab = undefined
    openTab = () => connect({ ...options, flushAfter: 60_000 })
    return { launched: lrs.launched }
  },
  send: async ({ statement }) => (await lrs.send(statement)) ?? null,
  say: async ({ verb, activity, result }) => (await lrs[verb](activity, result)) ?? null,
  async many({ count, from, tab: other }) {
    if (other) tab ??= await openTab()
    const ids = []
    for (let n = from; n < from + count; n++) ids.push(await (other ? tab : lrs).progressed(`event/${n}`))
    return ids
  },
  flush: () => lrs.flush().then(() => true),
  pending: () => lrs.pending(),
  async pause() {
    // as a browser tells a page that its tab went to the back
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
    delete document.visibilityState
    return true
  },
  consent: ({ granted }) => lrs.setConsent(granted).then(() => true),
  put: ({ of, id, value, etag }) =>
    documents(of)
      .put(id, value, etag)
      .then((etag) => etag ?? null),
  get: async ({ of, id }) => (await documents(of).get(id)) ?? null,
  merge: ({ of, id, value }) =>
    documents(of)
      .merge(id, value)
      .then(() => true),
  remove: ({ of, id }) =>
    documents(of)
      .remove(id)
      .then(() => true),
  list: ({ of }) => documents(of).list(),
  quit: () => lrs.close().then(() => true),
}
addEventListener('error', ({ message }) => tell({ event: 'error', status: 0, message }))
new EventSource('/commands').addEventListener('message', ({ data }) => {
  const { n, ...command } = JSON.parse(data)
  commands[command.do](command).then(
    (ok) => {
      tell({ n, ok })
      if (command.do === 'quit') void before.then(() => close())
    },
    ({ status = 0, message }) => tell({ n, error: { status, message } }),
  )
})
