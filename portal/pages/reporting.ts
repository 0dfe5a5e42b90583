import { inBytes, launchHours, sizes } from '../../shared/limits.ts'
import { html, type Html } from '../html.ts'
import type { Visit } from '../visit.ts'
import { codeBlock } from './code-block.ts'
import { layout } from './layout.ts'
import { launchFile, withClient, withFetch, withOthers } from './reporting-code.ts'

const context = [
  { name: 'endpoint', text: 'Where xAPI is, with a slash at its end: put statements or activities/state behind it.' },
  { name: 'auth', text: 'The complete value of the header Authorization. Send it unchanged.' },
  { name: 'actor', text: 'The learner, an Agent of xAPI; in the address as JSON text.' },
  { name: 'registration', text: 'UUID of this session, for context.registration.' },
  { name: 'activity_id', text: 'IRI of the game: levels and questions go below it, and saved games belong to it.' },
]

const rules = [
  { title: 'An id for every statement', text: 'Make it in the game, once, and keep it when you send again: the same id is stored once.' },
  { title: 'Batches', text: `Collect statements for a few seconds and send an array: at most ${sizes.statementsPerRequest} statements and ${inBytes(sizes.statementsBody)} in one request.` },
  { title: 'Again after 429, 5xx and lost connections only', text: 'With the same ids, and after the seconds in Retry-After or longer each time. Any other 4xx says what is wrong and where, and would say it again.' },
  { title: 'Save in a state document', text: 'PUT activities/state with activityId, agent and stateId. The frame may have no localStorage, and learners change machines. 404 at the first read means: none yet.' },
  { title: 'Playable without', text: 'Without a launch context, or after 401 when the session has ended, let people play on and say that nothing is saved.' },
  { title: 'No key and secret in a build', text: 'Whoever downloads the build could read them and report as anybody. The launch context is all that a game needs; the credential is for servers.' },
]

/** How a game comes to report what its player does: for whoever writes the game, before anything is approved. */
export function reportingPage(visit: Visit): Html {
  return layout(visit, 'How a game reports', html`
      <section class="card" aria-labelledby="client"><h2 id="client">1. With our client</h2>
        <p>One file of 3 KB for games in the browser. It finds the launch context, sends in batches, tries again by itself and keeps what could not be sent.</p>
        <p class="actions"><a class="button" href="/client/games-lrs.js" download>Download games-lrs.js</a> <a class="button quiet" href="/client/games-lrs.global.js" download>For a script tag</a></p>
        ${codeBlock('code-client', 'code with the client', withClient)}
        <p class="hint">As a script tag it is <code>GamesLrs.connect()</code>, for engines that export to the web.</p></section>
      <section class="card" aria-labelledby="fetch"><h2 id="fetch">2. With fetch</h2>
        <p>The game is opened with its launch context in the query string; a statement is one request.</p>
        ${codeBlock('code-fetch', 'code with fetch', withFetch)}
        <p class="hint"><code>examples/quiz</code> in the source of this service is a whole game that reports this way: copy its launch.js and report.js.</p></section>
      <section class="card" aria-labelledby="others"><h2 id="others">3. With a client for xAPI that you have</h2>
        <p>The query string is that of TinCan and ADL launches. TinCanJS and xAPIWrapper are script tags before this code.</p>
        ${withOthers.map(({ name, code }, index) => html`<h3>${name}</h3>${codeBlock(`code-other-${index}`, `code for ${name}`, code)}`)}</section>
      <section class="card" aria-labelledby="context"><h2 id="context">The launch context</h2>
        <p>Every session has one, in the player and in the sandbox. It is valid for ${launchHours} hours, for this learner and this game.</p>
        <dl class="facts">${context.map(({ name, text }) => html`<dt><code>${name}</code></dt><dd>${text}</dd>`)}</dl>
        <h3>In the browser, in three places</h3>
        <ol><li>The address of the page: <code>index.html?endpoint=…&amp;auth=…&amp;actor=…&amp;registration=…&amp;activity_id=…#/?session=…</code></li>
          <li>A document: <code>launch.json</code> beside the page, with <code>session</code> of the address behind <code>Authorization: Bearer</code>. Its token is fresh, also after a reload.</li>
          <li>A message: post <code>{ type: 'xapi-launch-request' }</code> to <code>window.parent</code>, and <code>{ type: 'xapi-launch', endpoint, … }</code> comes back.</li></ol>
        <h3>On the desktop</h3>
        <p>The same five in the environment variables <code>XAPI_ENDPOINT</code>, <code>XAPI_AUTH</code>, <code>XAPI_ACTOR</code>, <code>XAPI_REGISTRATION</code> and <code>XAPI_ACTIVITY_ID</code>; else in <code>launch.json</code>,
          which learners save beside the program, or whose path is the first argument:</p>
        ${codeBlock('launch-file', 'launch.json', launchFile(visit.at.xapi))}</section>
      <section class="card" aria-labelledby="thumb"><h2 id="thumb">Rules of thumb</h2>
        <dl class="rules-of-thumb">${rules.map(({ title, text }) => html`<dt><strong>${title}</strong></dt><dd>${text}</dd>`)}</dl>
        <p class="muted">Then watch it in your game’s sandbox: every call is shown as it arrives, refused ones with the reason and the place. All figures: <a href="/limits">limits and quotas</a>.</p></section>`, {
    lead: 'The player hands every game what it needs to report, for the learner who plays: no key, no secret, no sign-in. Three ways to use it; the first that fits will do.',
    scripts: ['copy.js'], styles: ['game.css'],
  })
}
