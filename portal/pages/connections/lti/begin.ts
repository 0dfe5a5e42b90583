import { createHash } from 'node:crypto'
import type { LaunchLtiResponse, StartLtiLoginResponse } from '../../../../gen/lrs/v1/lti_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { hidden, postForm } from '../../parts/form.ts'
import { layout, type LayoutOptions } from '../../parts/layout.ts'
import type { Ways } from '../../games/play/ways.ts'

/** Of all pages of a launch: short, in the language of the visitor, in a frame of others. */
export const inFrame: LayoutOptions = { width: 'framed', forLearners: true, styles: ['play.css'] }

/** The key under which the platform keeps the state of a login. */
const keyOf = (state: string): string => `lti-${createHash('sha256').update(state).digest('hex').slice(0, 16)}`

/** Keeps the state at the platform, and goes on. */
export function beginPage(visit: Visit, { address, state }: StartLtiLoginResponse, target: string): Html {
  const { say } = visit
  return layout(
    visit,
    say.text('lti.title'),
    html`<p>${say('lti.begins')}</p><p class="actions"><a class="button" id="lti-begin" href="${address}" data-target="${target}"
      data-origin="${new URL(address).origin}" data-key="${keyOf(state)}" data-value="${state}">${say('lti.goOn')}</a></p>`,
    { ...inFrame, scripts: ['lti.js'] },
  )
}

/** No cookie came back: asks the platform for the state, else opens a new tab. */
export function unboundPage(visit: Visit, { asked, schoolId, storageTarget, storageOrigin }: LaunchLtiResponse): Html {
  const { say, form } = visit
  const hasStorage = storageTarget !== ''
  return layout(
    visit,
    say.text('lti.title'),
    html`${
      hasStorage &&
      html`<form method="post" action="/lti/launch/stored" id="lti-stored" data-target="${storageTarget}"
      data-origin="${storageOrigin}" data-key="${keyOf(form('state'))}" hidden>${hidden('state', form('state'))}${hidden(
        'id_token',
        form('id_token'),
      )}${hidden('error', form('error'))}${hidden('stored', '')}</form>`
    }<div id="lti-tab"${hasStorage && html` hidden`}><p>${say('lti.blocked')}</p>
      <p class="actions"><a class="button" href="/lti/login/${schoolId}?${new URLSearchParams(asked).toString()}"
      target="_blank" rel="noopener">${say('lti.newTab')}</a></p></div>`,
    { ...inFrame, scripts: hasStorage ? ['lti.js'] : [] },
  )
}

/** A page with one sentence. */
export function notedPage(visit: Visit, what: 'again' | 'used' | 'noLesson' | 'noConsent' | 'registered'): Html {
  const { say } = visit
  const isDone = what === 'registered'
  const text = say(what === 'noConsent' ? 'failed.parent_consent' : `lti.${what}`)
  return layout(visit, say.text('lti.title'), html`<p${isDone && html` id="lti-done"`}>${text}</p>`, {
    ...inFrame,
    scripts: isDone ? ['lti.js'] : [],
  })
}

/** After a reload: goes on with the session that the tab keeps. */
export const resumePage = (visit: Visit, { game }: Ways): Html =>
  layout(
    visit,
    visit.say.text('lti.title'),
    html`<p>${visit.say('lti.again')}</p>
      <form method="post" action="${game}" id="resume" hidden>${visit.csrf}<input type="hidden" name="session"></form>`,
    { ...inFrame, scripts: ['embed.js'] },
  )

/** A form that goes on from a launch. */
export const launchForm = (
  visit: Visit,
  action: string,
  { token, launchId }: { readonly token: string; readonly launchId: string },
  content: Html,
): Html => postForm(visit, action, html`${hidden('token', token)}${hidden('launch', launchId)}${content}`)
