import { inBytes, launchHours, sizes } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { codeBlock } from '../../../web/code-block.ts'
import { docsTrail, layout } from '../../parts/layout.ts'
import { engineSamples } from './engine-code.ts'
import { launchFile, withClient, withFetch, withOthers } from './reporting-code.ts'
import { sampleList } from './sample-list.ts'

const context = [
  { name: 'endpoint', text: 'Base URL of xAPI, with a slash at its end: append statements or activities/state.' },
  { name: 'auth', text: 'The complete value of the Authorization header. Send it unchanged.' },
  { name: 'actor', text: 'The learner, an xAPI Agent. In the query string it is JSON text.' },
  { name: 'registration', text: 'UUID of this session, for context.registration.' },
  {
    name: 'activity_id',
    text: 'IRI of the game. Append to it for levels and questions. Saved games use it unchanged.',
  },
]

const rules = [
  {
    title: 'An id for every statement',
    text: 'Create the id in the game, once, and keep it when you retry: a statement with the same id is stored once.',
  },
  {
    title: 'Batches',
    text:
      'Collect statements for a few seconds and send them as an array. One request takes at most ' +
      `${sizes.statementsPerRequest} statements and ${inBytes(sizes.statementsBody)}.`,
  },
  {
    title: 'Retry only after 429, 5xx and lost connections',
    text:
      'Keep the ids. Wait for the seconds in Retry-After, or longer each time. 400, 409 and 413 mean that a statement is ' +
      'wrong: the answer says what and where, so drop this statement only. After a 401, look for a new token. After any ' +
      'other 4xx, stop sending and keep the statements.',
  },
  {
    title: 'Save in a state document',
    text:
      'PUT activities/state with activityId, agent and stateId. In the player localStorage may not work, and learners ' +
      'change computers. 404 at the first read means that nothing is saved yet.',
  },
  {
    title: 'Stay playable without a session',
    text:
      'Without a launch context, or after a 401 at the end of the session, let people play on and say that nothing ' +
      'is saved.',
  },
  {
    title: 'No key and secret in a build',
    text:
      'Players could read them in the build, and report as any learner. A game needs only the launch context. ' +
      'The credential is for servers.',
  },
]

/** Explains to developers how a game sends statements. It is public, since it is needed before a game is approved. */
export function reportingPage(visit: Visit): Html {
  return layout(
    visit,
    'How a game reports',
    html`
      <section class="card" aria-labelledby="client"><h2 id="client">1. With our client</h2>
        <p>One file of 15 KB (6.5 KB compressed) for browser games. It finds the launch context, sends statements in
        batches, retries, and keeps what it could not send.</p>
        <p class="actions"><a class="button" href="/client/games-lrs.js" download>Download games-lrs.js</a> <a
        class="button quiet" href="/client/games-lrs.global.js" download>For a script tag</a></p>
        ${codeBlock('code-client', 'code with the client', withClient)}
        <p class="hint">With a script tag, call <code>GamesLrs.connect()</code>. Use this in pages that an engine
        exports.</p></section>
      <section class="card" aria-labelledby="engines"><h2 id="engines">2. In an engine</h2>
        <p>The clients for all engines have the same methods. The pages <em>Sandbox</em> and <em>Credential</em> of
        your game show this code with its ids.</p>
        ${sampleList('engine', engineSamples('https://…/games/5c4e…'))}</section>
      <section class="card" aria-labelledby="fetch"><h2 id="fetch">3. With fetch</h2>
        <p>The game gets its launch context in the query string. One request sends a statement.</p>
        ${codeBlock('code-fetch', 'code with fetch', withFetch)}
        <p class="hint"><code>examples/quiz</code> in the source of this service is a complete game that reports this
        way: copy its launch.js and report.js.</p></section>
      <section class="card" aria-labelledby="others"><h2 id="others">4. With another xAPI client</h2>
        <p>The query string has the format of TinCan and ADL launches. Load TinCanJS or xAPIWrapper with a script tag
        before this code.</p>
        ${withOthers.map(({ name, code }, index) => html`<h3>${name}</h3>${codeBlock(`code-other-${index}`, `code for ${name}`, code)}`)}</section>
      <section class="card" aria-labelledby="context"><h2 id="context">The launch context</h2>
        <p>Every session in the player and in the sandbox has one. It is valid for ${launchHours} hours, for one learner and one game.</p>
        <dl class="facts">${context.map(({ name, text }) => html`<dt><code>${name}</code></dt><dd>${text}</dd>`)}</dl>
        <h3>In the browser, in three places</h3>
        <ol><li>The address of the page:
        <code>index.html?endpoint=…&amp;auth=…&amp;actor=…&amp;registration=…&amp;activity_id=…#/?session=…</code></li>
          <li>A document: request <code>launch.json</code> beside the page with the header <code>Authorization:
          Bearer</code> and the <code>session</code> of the address. Its token is valid until the session ends, also
          after a reload.</li>
          <li>A message: post <code>{ type: 'xapi-launch-request' }</code> to <code>window.parent</code>, and <code>{
          type: 'xapi-launch', endpoint, … }</code> comes back.</li></ol>
        <h3>On the desktop</h3>
        <p>Look for the same five values in the environment variables <code>XAPI_ENDPOINT</code>,
        <code>XAPI_AUTH</code>, <code>XAPI_ACTOR</code>, <code>XAPI_REGISTRATION</code> and
        <code>XAPI_ACTIVITY_ID</code>. If they are not set, read the file that <code>XAPI_LAUNCH_FILE</code> names, or
        <code>launch.json</code>.
          Learners save this file next to the program, or give its path as the first argument:</p>
        ${codeBlock('launch-file', 'launch.json', launchFile(visit.at.xapi))}</section>
      <section class="card" aria-labelledby="thumb"><h2 id="thumb">Rules of thumb</h2>
        <dl class="rules-of-thumb">${rules.map(({ title, text }) => html`<dt><strong>${title}</strong></dt><dd>${text}</dd>`)}</dl>
        <p class="muted">Then try your game in its sandbox: it shows every call as it arrives, and for a rejected call
        the reason and the field. Start with <a href="/docs/first-statement">the first statement</a>. All figures: <a
        href="/limits">limits and quotas</a>. More: <a href="/docs/launch">launching a game</a>,
        <a href="/docs/serious-games">statements that charts understand</a>.</p></section>`,
    {
      lead:
        'The player gives every game a launch context for the learner who plays: no key, no secret, no sign-in. There ' +
        'are four ways to use it. Take the first that fits.',
      trail: docsTrail,
      scripts: ['copy.js'],
      styles: ['game.css'],
    },
  )
}
