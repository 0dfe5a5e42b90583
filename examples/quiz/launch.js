/*
 * The launch context: what a game needs to report what its player does. Copy this file into your game.
 *
 *   endpoint       where requests go, for instance https://lrs.example/xapi/
 *   auth           the whole value of the Authorization header: send it as it is
 *   actor          the learner, an Agent of xAPI
 *   registration   UUID of this session
 *   activityId     IRI of your game; levels and questions go below it
 *   template       part of each statement's context, where another system launches the game (docs/cmi5.md)
 *
 * The player gives all of it in the query of the page, as TinCan and ADL launches do, and once more as the document
 * launch.json beside the page and as a message from the page around. This looks in that order. Whoever opens the game
 * without a player gets undefined: the game should then run without reporting.
 *
 * Never put the key and secret of your game into the game itself: everybody could read them there. And never write
 * `auth` to a log or an error report: for two hours it lets anybody report as this learner.
 */

/** @returns {Promise<{ endpoint: string, auth: string, actor: object, registration?: string, activityId: string, template?: object } | undefined>} */
export async function readLaunch() {
  const given = Object.fromEntries(new URLSearchParams(location.search))
  return launchOf(given) ?? launchOf(await fromDocument()) ?? launchOf(await fromPageAround())
}

/** launch.json beside the page. The player asks for the session, a server of your own may just put it there. */
async function fromDocument() {
  const session = new URLSearchParams(location.hash.split('?')[1]).get('session')
  const headers = session === null ? {} : { Authorization: `Bearer ${session}` }
  try {
    const response = await fetch('launch.json', { headers })
    return response.ok ? await response.json() : undefined
  } catch {
    return undefined // no such document, or a page from file://
  }
}

/** Asks the page around this one. Only that page is listened to: any other window could send messages, too. */
function fromPageAround() {
  if (window.parent === window) return undefined
  return new Promise((resolve) => {
    const receive = ({ source, data }) => {
      if (source === window.parent && data?.type === 'xapi-launch') finish(data)
    }
    const finish = (launch) => {
      removeEventListener('message', receive)
      clearTimeout(late)
      resolve(launch)
    }
    const late = setTimeout(finish, 1000) // nobody answers: not started by a player
    addEventListener('message', receive)
    window.parent.postMessage({ type: 'xapi-launch-request', cmi5: true }, '*')
  })
}

/** All or nothing: half a launch context is none. In the address the actor is JSON. */
function launchOf(given) {
  if (!given?.endpoint || !given.auth || !given.actor || !given.activity_id) return undefined
  const actor = typeof given.actor === 'string' ? JSON.parse(given.actor) : given.actor
  const endpoint = given.endpoint.endsWith('/') ? given.endpoint : `${given.endpoint}/`
  return {
    endpoint,
    auth: given.auth,
    actor,
    registration: given.registration,
    activityId: given.activity_id,
    template: given.cmi5?.contextTemplate,
  }
}
