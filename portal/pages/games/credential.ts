import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { moment } from '../parts/amount.ts'
import { samples } from './code/client-code.ts'
import { engineSection, sampleList } from './code/sample-list.ts'
import { hidden, postForm, problem, question, submit, type Sent } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'

const placeholder = 'YOUR-SECRET'

/** The credential without its secret; what may be done with it. */
export function credentialPage(visit: Visit, game: Game, { failure }: Sent = {}): Html {
  const { credential, allowed } = game
  const { gameId } = game.summary!
  if (!credential) {
    return gameLayout(
      visit,
      game,
      'Credential',
      html`<div class="card empty"><h2>Not yet</h2>
      <p class="muted">Key and secret are created when a reviewer approves the game. In the sandbox and in the player,
      games do not need them: they get a launch token.</p>
      <div class="actions"><a class="button" href="/games/${gameId}">See the next step</a></div></div>
      ${engineSection(game)}`,
      { scripts: ['copy.js'], styles: ['game.css'] },
    )
  }
  const { key, created, rotated } = credential
  return gameLayout(
    visit,
    game,
    'Credential',
    html`
      ${problem(failure)}
      ${
        allowed.includes('reveal') &&
        html`<section class="card" aria-labelledby="reveal"><h2 id="reveal">Show the secret, once</h2>
        <p>The secret is shown only once and is not stored. First open the place where you will save it, such as the
        settings of your server.</p>
        ${postForm(visit, `/games/${gameId}/credential/reveal`, submit('Show the secret'))}</section>`
      }
      <section class="card" aria-labelledby="key"><h2 id="key">Key</h2>
        <dl class="facts"><dt>Key</dt><dd>${copied('key', key)}</dd>
          <dt>Endpoint</dt><dd>${copied('endpoint', visit.at.xapi)}</dd>
          <dt>Created</dt><dd>${moment(created)}</dd>${rotated > 0n && html`<dt>Last rotated</dt><dd>${moment(rotated)}</dd>`}</dl>
        <p class="hint">For servers, scripts and tests on your own machine. Never put key and secret into a build that
        others can read. In the player, games get a launch token instead: <a href="#engines">code for your
        game</a>.</p></section>
      ${
        allowed.includes('rotate') &&
        html`<section class="card" aria-labelledby="rotate"><h2 id="rotate">A new secret</h2>
        <p>Rotate the secret if it is lost or if others may have seen it. The old secret stops working at once,
        everywhere. Running sessions in the player continue.</p>
        <p class="actions"><a class="button quiet" href="/games/${gameId}/credential/rotate">Rotate…</a></p></section>`
      }
      ${code(visit, game, key, placeholder)}
      ${engineSection(game)}`,
    { scripts: ['copy.js'], styles: ['game.css'] },
  )
}

export function rotatePage(visit: Visit, game: Game, sent: Sent = {}): Html {
  const { gameId } = game.summary!
  return gameLayout(
    visit,
    game,
    'Rotate the secret',
    question(
      visit,
      `/games/${gameId}/credential/rotate`,
      html`<p>The old secret ends at once. Until a server or script has the new one, its requests get 401 and store
        nothing. Before you go on:</p>
        <ol><li>List what uses the secret: servers, scripts, timers, CI. Games in the player do not use it.</li>
        <li>Let them keep what they could not send, or stop them for the moment.</li>
        <li>Open the place where each has its secret, so that you can paste the new one there.</li></ol>
        <p>The button shows the new secret once. Put it in each of these places, and start what uses it again.</p>
        ${hidden('seen', game.credential?.rotated ?? 0)}`,
      'Rotate and show the new secret',
      `/games/${gameId}/credential`,
      { sent },
    ),
  )
}

/** Key and secret, for the only time. */
export function secretPage(visit: Visit, game: Game, { key, secret }: { key: string; secret: string }): Html {
  const { gameId } = game.summary!
  return gameLayout(
    visit,
    game,
    'Your secret',
    html`
      <div class="notice warn" role="status"><p><strong>Copy it now.</strong> It is shown only once: the service stores
      only its hash. If you lose the secret, rotate it.</p></div>
      <section class="card" aria-label="Key and secret"><dl class="facts secret"><dt>Key</dt><dd>${copied('key', key)}</dd><dt>Secret</dt><dd>${copied('secret', secret)}</dd>
        <dt>Endpoint</dt><dd>${copied('endpoint', visit.at.xapi)}</dd></dl></section>
      ${code(visit, game, key, secret)}
      <p class="actions"><a class="button" href="/games/${gameId}/credential">I have saved it</a></p>`,
    { scripts: ['copy.js'], styles: ['game.css'] },
  )
}

const copied = (what: string, value: string): Html =>
  html`<span class="copied"><code id="${what}-text">${value}</code> <button type="button" class="quiet small" data-copy="${what}-text" hidden>Copy<span class="visually-hidden"> ${what}</span></button></span>`

function code(visit: Visit, { activityId }: Game, key: string, secret: string): Html {
  const all = samples({ endpoint: visit.at.xapi, key, secret, activity: activityId })
  return html`<section class="card" aria-labelledby="code"><h2 id="code">A first statement from a server or a script</h2>
      ${secret === placeholder && html`<p class="muted">Replace <code>${placeholder}</code> with your secret.</p>`}
      <p class="muted">Exports, imports and streams of statements: <a href="/docs/services">services</a>,
      <a href="/docs/cli">the command line</a>.</p>
      ${sampleList('code', all)}</section>`
}
