import { catalogue, subjects } from '../../../shared/catalogue.ts'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, paragraphs, type Html } from '../../web/html.ts'
import { inEnglish } from '../../web/say.ts'
import type { Visit } from '../../web/visit.ts'
import { field, form, hidden, problem, question, submit, type Sent } from '../parts/form.ts'
import { changesNotice } from './game-changes.ts'
import { languageName, subjectName } from '../parts/game-facts.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { isInReview, isLive } from '../parts/game-state.ts'

export function editPage(visit: Visit, game: Game, { done, ...sent }: Sent & { done?: string } = {}): Html {
  const { gameId, name, summary, facts } = game.summary!
  const shown = (number = 0) => (number === 0 ? '' : String(number))
  return gameLayout(
    visit,
    game,
    'Details',
    html`${changesNotice(game)}<div class="card">${form(visit, `/games/${gameId}/edit`, sent, [
      { name: 'name', label: 'Name', required: true, maxLength: 100, value: name },
      {
        name: 'summary',
        label: 'Summary',
        note: 'required for review',
        hint: 'One line, shown below the name wherever the game is listed.',
        maxLength: 200,
        value: summary,
      },
      {
        name: 'description',
        label: 'Description',
        hint: 'What it is about, who it is for and what players learn. A blank line starts a new paragraph.',
        rows: 12,
        value: game.description,
      },
      {
        name: 'subject',
        label: 'Subject',
        value: facts?.subject ?? '',
        of: [
          { value: '', text: 'Not said' },
          ...subjects.map((value) => ({ value, text: subjectName(inEnglish, value) })),
        ],
      },
      { name: 'age_from', label: 'Youngest age', type: 'number', value: shown(facts?.ageFrom) },
      { name: 'age_to', label: 'Oldest age', type: 'number', value: shown(facts?.ageTo) },
      { name: 'minutes', label: 'Minutes that one play takes', type: 'number', value: shown(facts?.minutes) },
      {
        name: 'languages',
        label: 'Languages',
        hint: `In which the game can be played, such as en, de or pt-BR. Separate them by spaces. ${catalogue.languages} at most.`,
        maxLength: 400,
        value: facts?.languages.join(' ') ?? '',
      },
      {
        name: 'consent',
        label: 'Consent text',
        hint:
          'If you need the consent of learners: they see this text before they play, and agree or do not ' +
          'play. Who agreed when is kept. After a change they are asked again. Plain text, 4,000 characters at most.',
        rows: 5,
        value: game.consent,
      },
      {
        name: 'text_language',
        label: 'Language of these texts',
        hint: 'Such as en or de.',
        maxLength: 35,
        value: facts?.textLanguage || 'en',
      },
      submit('Save', { beside: html`<a class="button quiet" href="/games/${gameId}">Cancel</a>` }),
    ])}</div>
    <section class="card" aria-labelledby="languages"><h2 id="languages">In other languages</h2>
      <p>Visitors read these texts in their own language if you write them. The name stays.</p>
      ${
        game.texts.length > 0 &&
        html`<ul class="plain">${game.texts.map(
          ({ language }) =>
            html`<li><a href="/games/${gameId}/texts?language=${encodeURIComponent(language)}">${languageName(inEnglish, language)}</a></li>`,
        )}</ul>`
      }
      <form method="get" action="/games/${gameId}/texts" class="form">${field({ name: 'language', label: 'Language', hint: 'Such as de, fr or pt-BR.', maxLength: 35, required: true })}
        <div class="actions"><button class="quiet">Write texts</button></div></form></section>`,
    { done },
  )
}

/** The texts of a game in another language. */
export function textsPage(visit: Visit, game: Game, language: string, sent: Sent = {}): Html {
  const { gameId, summary } = game.summary!
  const text = game.texts.find((one) => one.language === language)
  const back = `/games/${gameId}/edit`
  return gameLayout(
    visit,
    game,
    `Texts in ${languageName(inEnglish, language)}`,
    html`<div class="card">${form(visit, `/games/${gameId}/texts`, sent, [
      html`${hidden('language', language)}<p>What is empty is shown as on the page. Without any text, the language is
        removed.</p>`,
      { name: 'summary', label: 'Summary', hint: summary, maxLength: 200, value: text?.summary ?? '' },
      { name: 'description', label: 'Description', rows: 12, value: text?.description ?? '' },
      game.consent !== '' && { name: 'consent', label: 'Consent text', rows: 5, value: text?.consent ?? '' },
      submit('Save', { beside: html`<a class="button quiet" href="${back}">Cancel</a>` }),
    ])}</div>
    <section class="card" aria-labelledby="page"><h2 id="page">The texts of the page</h2>
      ${paragraphs(game.description)}${game.consent !== '' && html`<h3>Consent text</h3>${paragraphs(game.consent)}`}</section>`,
  )
}

/** A form for the reviewer; where nothing can be submitted it says why, and what to do. */
export function submitPage(visit: Visit, game: Game, sent: Sent = {}): Html {
  const { gameId } = game.summary!
  const obstacle = obstacleOf(game)
  if (obstacle) {
    const { text, path, button } = obstacle
    return gameLayout(
      visit,
      game,
      'Submit for review',
      html`<div class="card empty">
        ${problem(sent.failure)}
        <p>${text}</p>
        <div class="actions"><a class="button" href="/games/${gameId}${path}">${button}</a></div>
      </div>`,
    )
  }
  const at = `/games/${gameId}`
  const missing = [
    game.description === '' && html`<a href="${at}/edit">a description</a>`,
    game.gallery.length === 0 && html`<a href="${at}/media">an image</a>`,
  ].filter((what) => what !== false)
  return gameLayout(
    visit,
    game,
    'Submit for review',
    html`
      ${
        missing.length > 0 &&
        html`<p class="notice warn">The public page will look empty without ${missing.map(
          (what, n) => html`${n > 0 && ' and '}${what}`,
        )}. Add that first, or continue.</p>`
      }
      <div class="card">${form(visit, `/games/${gameId}/submit`, sent, [
        html`<p>A reviewer checks ${submitted(game)}, then approves or says what to change. Until then, nothing changes
        for players.</p>`,
        {
          name: 'message',
          label: 'For the reviewer',
          hint: 'What is new, and how to get past the hard parts.',
          rows: 5,
          called: '“For the reviewer”',
        },
        submit('Submit for review', { beside: html`<a class="button quiet" href="/games/${gameId}">Not yet</a>` }),
      ])}</div>`,
  )
}

interface Obstacle {
  readonly text: string
  readonly path: string
  readonly button: string
}

/** Why the game cannot be submitted now; undefined: it can. */
function obstacleOf({ summary, staged, live, allowed }: Game): Obstacle | undefined {
  if (isInReview(summary!.state))
    return { text: 'The game is in review already.', path: '', button: 'Back to the overview' }
  if (!staged && !live)
    return { text: 'There is no build to review. Upload one first.', path: '/upload', button: 'Upload a build' }
  if (!allowed.includes('submit'))
    return {
      text: 'A reviewer has accepted all of it. Upload another build or edit the details, then submit that.',
      path: '/upload',
      button: 'Upload a build',
    }
  if (summary!.summary === '')
    return { text: 'The game needs a summary first: one line about it.', path: '/edit', button: 'Add a summary' }
  return undefined
}

function submitted({ summary, staged, live, changed }: Game): Html {
  const build = html`<strong>${(staged ?? live)?.fileName ?? summary!.name}</strong>`
  if (!changed) return build
  const changes = html`<a href="/games/${summary!.gameId}/changes">the changes to its page</a>`
  return staged || !isLive(summary!.state) ? html`${build} and ${changes}` : changes
}

interface Question {
  readonly title: string
  readonly text: Html
  readonly action: string
  readonly button: string
  readonly sent: Sent | undefined
}

/** Asks before something is done to a game. */
export const confirmPage = (visit: Visit, game: Game, { title, text, action, button, sent }: Question): Html =>
  gameLayout(visit, game, title, question(visit, action, text, button, `/games/${game.summary!.gameId}`, { sent }))
