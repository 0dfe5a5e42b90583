import { BuildKind, type Build, type Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, paragraphs, type Html } from '../../web/html.ts'
import { isDeveloper, type Visit } from '../../web/visit.ts'
import { counted, inBytes, moment } from '../parts/amount.ts'
import { form, submit, type Sent } from '../parts/form.ts'
import { confirmPage } from './game-edit.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { isLive } from '../parts/game-state.ts'

/** As `Build 3 · v1.2`. */
export const buildName = ({ number, version, fileName }: Build): string =>
  number === 0 ? fileName : `Build ${number}${version && ` · ${version}`}`

/** The builds of a game, each with its channel and what can be done with it. */
export function buildsOf(
  visit: Visit,
  { summary, live, staged, beta, inGrace, kept, allowed, betaLinked }: Game,
): Html {
  const { gameId, slug, state } = summary!
  if (!live && !staged && !beta)
    return html`<p class="muted">No build yet.</p><p class="actions"><a class="button" href="/games/${gameId}/upload">Upload a build</a></p>`
  const preview = html`<a class="button small quiet" href="/preview/${slug}">Preview</a>
    ${allowed.includes('promote') && html`<a class="button small quiet" href="/games/${gameId}/promote">Submit for review</a>`}`
  const download = ({ graceUntil }: Build) =>
    graceUntil > 0n && html` Available for download, and counts as storage, until ${moment(graceUntil)}.`
  const graced = inGrace.filter(({ buildId }) => !kept.some((build) => build.buildId === buildId))
  return html`
    ${live && buildFacts(visit, live, html`<span class="badge good">Live</span>`)}
    ${staged && staged.buildId !== live?.buildId && buildFacts(visit, staged, 'Staged, not yet public')}
    ${beta && buildFacts(visit, beta, `Beta: for members of the studio${betaLinked > 0n ? ', and for people with the link' : ''}`, preview)}
    ${kept.map((build) =>
      buildFacts(
        visit,
        build,
        html`Replaced. Kept for a rollback until ${moment(build.keptUntil)}.${download(build) || ' Does not count as storage.'}`,
        allowed.includes('roll-back') &&
          html`<a class="button small quiet" href="/games/${gameId}/rollback?to=${build.buildId}">Roll back<span class="visually-hidden"> to ${buildName(build)}</span></a>`,
      ),
    )}
    ${graced.map((build) => buildFacts(visit, build, html`Replaced.${download(build)}`))}
    <p class="actions">${
      allowed.includes('upload') &&
      html`<a class="button small" href="/games/${gameId}/upload">Upload another build</a>`
    }
    ${
      isLive(state) &&
      (beta !== undefined || betaLinked > 0n) &&
      html`<a class="button small quiet" href="/games/${gameId}/beta-link">Link to the beta</a>`
    }</p>`
}

/** The facts of one build. */
export function buildFacts(visit: Visit, build: Build, role: string | Html, actions: Html | false = false): Html {
  const { kind, fileName, size, files, expanded, created, notes } = build
  const isBrowser = kind === BuildKind.BROWSER
  return html`<div class="build">
      <h3>${buildName(build)}</h3>
      <p>${role}</p>
      <p class="hint">${fileName} · ${isBrowser ? 'Runs in the browser' : 'To download'} · ${inBytes(size)}${isBrowser && html` · ${counted(files, 'file')}, ${inBytes(expanded)} unpacked`} · ${moment(created)}</p>
      ${notes !== '' && html`<div class="said">${paragraphs(notes)}</div>`}
      ${build.storageKey !== '' && (isDeveloper(visit) || visit.account?.reviewer) && html`<p><a href="/builds/${build.buildId}/download">Download</a></p>`}
      ${actions && html`<div class="actions">${actions}</div>`}
    </div>`
}

/** Asks before a replaced build becomes live again. @param from the live build that the visitor saw */
export function rollbackPage(visit: Visit, game: Game, to: Build, from: string, sent?: Sent): Html {
  const { live, summary } = game
  return confirmPage(visit, game, {
    title: 'Roll back',
    button: `Roll back to ${buildName(to)}`,
    action: `/games/${summary!.gameId}/rollback`,
    text: html`<p>Players who start the game from now on get <strong>${buildName(to)}</strong>, uploaded on
      ${moment(to.created)}. It was reviewed before, so it is live at once.</p>
      <p>Running sessions go on with ${live ? buildName(live) : 'the build that they began with'}, which is kept, so that you can come back to it.</p>
      <input type="hidden" name="to" value="${to.buildId}"><input type="hidden" name="from" value="${from}">`,
    sent,
  })
}

/** Submits the beta for review. */
export function promotePage(visit: Visit, game: Game, beta: Build, sent: Sent = {}): Html {
  const { gameId, slug } = game.summary!
  return gameLayout(
    visit,
    game,
    'Submit the beta for review',
    html`<div class="card">${form(visit, `/games/${gameId}/promote`, sent, [
      html`<p>A reviewer checks <strong>${buildName(beta)}</strong>, then approves or says what to change. It needs no
        other upload, and is no beta any more. Until it is approved, nothing changes for players.</p>
        <input type="hidden" name="build" value="${beta.buildId}">`,
      {
        name: 'message',
        label: 'For the reviewer',
        hint: 'What is new, and how to get past the hard parts.',
        rows: 5,
        called: '“For the reviewer”',
      },
      submit('Submit for review', {
        beside: html`<a class="button quiet" href="/preview/${slug}">Preview it first</a>`,
      }),
    ])}</div>`,
    { styles: ['game.css'] },
  )
}
