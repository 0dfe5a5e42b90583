import type { GameSummary, GetPublishedGameResponse } from '../../../../gen/lrs/v1/games_pb.js'
import { html, paragraphs, type Html } from '../../../web/html.ts'
import type { Say, TextName } from '../../../web/say.ts'
import { isAtSchool, type Visit } from '../../../web/visit.ts'
import { inBytes } from '../../parts/amount.ts'
import { factsOf } from '../../parts/facts.ts'
import { factsOfGame } from '../../parts/game-facts.ts'
import { layout } from '../../parts/layout.ts'
import { mediaPath, packagePath, thumbnailPath } from '../../parts/media.ts'
import { findForm, foundGames, isAny } from './find.ts'
import type { Wanted } from '../../../../shared/catalogue.ts'
import { codeForm } from './join.ts'

const toTeachers = [
  ['home.class', 'home.classText'],
  ['home.join', 'home.joinText'],
  ['home.board', 'home.boardText'],
] as const
const toStudios = [
  ['home.upload', 'home.uploadText'],
  ['home.calls', 'home.callsText'],
  ['home.know', 'home.knowText'],
] as const

/** What the service gives to whom. */
const giftsFor = (say: Say, whom: 'teachers' | 'studios', gifts: readonly (readonly [TextName, TextName])[]): Html =>
  html`<section aria-labelledby="${whom}"><h2 id="${whom}">${say(`home.${whom}`)}</h2>
        <ul class="grid">${gifts.map(
          ([title, text]) =>
            html`<li class="card"><h3>${say(title)}</h3><p class="muted">${say(text, {
              link: (parts) => html`<a href="/reporting">${parts}</a>`,
            })}</p></li>`,
        )}</ul>
      </section>`

/** Where studios and schools go on. */
function entrance(visit: Visit): Html {
  const { account, noSignUp, say } = visit
  if (isAtSchool(visit)) return html`<a class="button" href="/classes">${say('school.classes')}</a>`
  if (account) return html`<a class="button" href="/games">${say('home.ownGames')}</a>`
  const signIn = html`<a class="button quiet" href="/sign-in">${say('nav.signIn')}</a>`
  return noSignUp
    ? signIn
    : html`<a class="button" href="/sign-up">${say('home.openStudio')}</a>
      <a class="button quiet" href="/sign-up?as=teacher">${say('school.teach')}</a> ${signIn}`
}

/** The home page: what the service is, and its games. Who looks for games sees only those. */
export function homePage(visit: Visit, games: GameSummary[], wanted: Wanted): Html {
  const { say } = visit
  const found = html`${findForm(visit, wanted)}${foundGames(visit, games, wanted)}`
  const options = { inLanguage: true, styles: ['game.css'] }
  if (!isAny(wanted)) return layout(visit, say.text('find.title'), found, options)
  return layout(
    visit,
    'Games LRS',
    html`
      <section class="hero">
        <h1>${say('home.title')}</h1>
        <p class="lead">${say('home.lead')}</p>
        <div class="actions">${entrance(visit)}</div>
        <div class="card join" lang="${visit.say.language}">${codeForm(visit, {}, visit.say.text('join.have'))}</div>
      </section>
      <section aria-labelledby="play"><h2 id="play">${say('game.play')}</h2>
        ${
          games.length === 0
            ? html`<div class="card empty"><p>${say('home.none')} ${
                visit.account
                  ? say('home.first')
                  : html`<a href="${visit.noSignUp ? '/sign-in' : '/sign-up'}">${say('home.first')}</a>`
              }</p></div>`
            : found
        }
      </section>
      ${giftsFor(say, 'teachers', toTeachers)}
      ${giftsFor(say, 'studios', toStudios)}`,
    { ...options, bare: true, styles: ['game.css', 'join.css'] },
  )
}

/** Where a teacher goes on with a game. */
const withClass = ({ account, noSignUp }: Visit, slug: string): string => {
  const classes = `/classes?game=${slug}`
  return account || noSignUp ? classes : `/sign-up?as=teacher&next=${encodeURIComponent(classes)}`
}

/** The public page of a game. */
export function publishedGamePage(
  visit: Visit,
  { game, description, gallery, teachingNotes, build, studio, textLanguage }: GetPublishedGameResponse,
  done?: string,
): Html {
  const { say } = visit
  const { name, slug, summary, facts } = game!
  const download = packagePath(visit, build!)
  const [first, ...others] = gallery
  const said = factsOfGame(say, facts)
  return layout(
    visit,
    name,
    html`
      <div class="showcase">
        ${first && html`<img class="first" src="${mediaPath(first.storageKey)}" alt="${first.text}">`}
        <div>
          ${summary !== '' && html`<p class="lead" lang="${textLanguage}">${summary}</p>`}
          <p class="hint">${say('game.by', { name: studio!.name, studio: (parts) => html`<a href="/studios/${studio!.slug}">${parts}</a>` })}</p>
          ${said.length > 0 && factsOf(said)}
          <p class="actions"><a class="button large" href="/play/${slug}">${say('game.play')}</a>
            <a class="button large quiet" href="${withClass(visit, slug)}">${say('school.playWith')}</a>
            ${download !== undefined && html`<a class="button large quiet" href="${download}">${say('game.download')}</a> <span class="hint">${build!.fileName}, ${inBytes(build!.size)}</span>`}</p>
        </div>
      </div>
      ${description !== '' && html`<section class="prose" lang="${textLanguage}" aria-label="${say('game.about')}">${paragraphs(description)}</section>`}
      ${
        others.length > 0 &&
        html`<section aria-labelledby="images"><h2 id="images">${say('game.images')}</h2>
        <ul class="grid">${others.map(({ storageKey, text }) => html`<li class="image"><a href="${mediaPath(storageKey)}"><img src="${thumbnailPath(storageKey)}" alt="${text || say.text('game.image')}" loading="lazy"></a></li>`)}</ul></section>`
      }
      ${
        teachingNotes.length > 0 &&
        html`<section aria-labelledby="notes"><h2 id="notes">${say('game.teachers')}</h2>
        <ul class="card plain">${teachingNotes.map(({ storageKey, fileName, text, size }) => html`<li><a href="${mediaPath(storageKey, fileName)}">${text || fileName}</a> <span class="hint">${inBytes(size)}</span></li>`)}</ul></section>`
      }
      <p><a href="/g/${slug}/report">${say('game.report')}</a></p>`,
    { inLanguage: true, styles: ['game.css'], done },
  )
}
