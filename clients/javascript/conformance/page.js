import { connect } from './games-lrs.js'

let lrs
const documents = (of) => lrs[of]()
const commands = {
  async connect({ launch, consent }) {
    lrs = await connect({
      ...(launch && { launch }),
      ...(consent !== undefined && { consent }),
      onError: ({ status, message, statement }) => tell({ event: 'error', status, message, id: statement?.id }),
    })
    return { launched: lrs.launched }
  },
  say: async ({ verb, activity, result }) => (await lrs[verb](activity, result)) ?? null,
  async many({ count, from }) {
    const ids = []
    for (let n = from; n < from + count; n++) ids.push(await lrs.progressed(`event/${n}`))
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
      .then(() => true),
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
globalThis.run = (command) =>
  commands[command.do](command).then(
    (ok) => ({ ok }),
    ({ status = 0, message }) => ({ error: { status, message } }),
  )
