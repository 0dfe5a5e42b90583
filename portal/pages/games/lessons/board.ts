import type { GameSummary } from '../../../../gen/lrs/v1/games_pb.js'
import type { BoardCell, BoardPupil, GetBoardResponse, WaitingSeat } from '../../../../gen/lrs/v1/lesson_results_pb.js'
import type { Lesson } from '../../../../gen/lrs/v1/lessons_pb.js'
import { stuckAfter } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import { isTeacher, type SignedIn } from '../../../web/visit.ts'
import { hidden, postForm, question, select, submit } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { inGroups, inWords, joinAddress, nameOf, shortened } from './words.ts'
import { signName, signPicture } from './signs.ts'

export const pathOf = ({ lessonId }: Lesson): string => `/lessons/${lessonId}`

/** A lesson for its teacher: who waits, who does what, what comes next. */
export function boardPage(visit: SignedIn, board: GetBoardResponse, games: readonly GameSummary[]): Html {
  const { say } = visit
  const lesson = board.lesson!
  const path = pathOf(lesson)
  const isOver = lesson.ended > 0n
  return layout(
    visit,
    say.text('lesson.title', { class: lesson.className, game: lesson.gameName }),
    html`<div class="board" id="board"${!isOver && html` data-from="${path}/now"`}>
      <p class="in-words" role="status" data-part>${inWords(visit, board)}</p>
      ${boardParts(visit, board)}
      ${!isOver && html`<noscript><p class="notice">${say('lesson.reload')}</p></noscript>`}
      ${isTeacher(visit) && !isOver && nextGame(visit, lesson, games)}
      ${legend(visit)}</div>`,
    {
      inLanguage: true,
      width: 'wide',
      trail: trailOf(visit, lesson),
      styles: ['lesson.css'],
      scripts: isOver ? [] : ['lesson.js'],
      aside: html`<div class="actions">${
        !isOver && html`<a class="button quiet small" href="${path}/projector">${say('lesson.projector')}</a>`
      }<a class="button quiet small" href="${path}/report">${say('lesson.toReport')}</a></div>`,
    },
  )
}

export const trailOf = ({ say }: SignedIn, { classId, className }: Pick<Lesson, 'classId' | 'className'>) => [
  { href: '/classes', text: say.text('school.classes') },
  { href: `/classes/${classId}`, text: className },
]

/** What an open page of the board asks for each second. */
export const boardNow = (visit: SignedIn, board: GetBoardResponse): Html =>
  html`<div><p data-part>${inWords(visit, board)}</p>${boardParts(visit, board)}</div>`

const boardParts = (visit: SignedIn, board: GetBoardResponse): Html => html`
      <section class="joining" data-part aria-label="${visit.say('lesson.control')}">${control(visit, board.lesson!)}</section>
      <section data-part aria-labelledby="waiting">${waitingRoom(visit, board)}</section>
      <section data-part aria-labelledby="pupils">${pupilTable(visit, board)}</section>`

function control(visit: SignedIn, lesson: Lesson): Html {
  const { say } = visit
  const path = pathOf(lesson)
  if (lesson.ended > 0n) return html`<p class="notice">${say('lesson.ended')}</p>`
  const address = joinAddress(visit)
  return html`${
    lesson.code !== '' &&
    html`<div><p>${say('lesson.join', { address: html`<a href="${address}">${shortened(address)}</a>` })}</p>
        <p class="code" aria-label="${say('lesson.code')}">${inGroups(lesson.code)}</p></div>`
  }
      ${
        isTeacher(visit) &&
        html`<div class="controls">${lesson.paused && html`<p class="notice warn">${say('lesson.paused')}</p>`}${postForm(
          visit,
          `${path}/pause`,
          html`<button id="pause" class="${lesson.paused ? '' : 'quiet'}" name="paused" value="${lesson.paused ? 'no' : 'yes'}"
          title="${say('lesson.pauseWhat')}">${say(lesson.paused ? 'lesson.goOn' : 'lesson.pause')}</button>`,
          'here',
        )}<a class="button quiet danger" id="end" href="${path}/end">${say('lesson.end')}</a></div>`
      }`
}

function waitingRoom(visit: SignedIn, { lesson, waiting }: GetBoardResponse): Html {
  const { say } = visit
  const path = pathOf(lesson!)
  const near = waiting.filter(({ letIn, elsewhere }) => !letIn && !elsewhere)
  const heading = html`<h2 id="waiting" tabindex="-1">${say('lesson.waiting')}</h2>`
  if (waiting.length === 0) return html`${heading}<p class="muted">${say('lesson.nobodyWaits')}</p>`
  return html`<div class="waiting-head">${heading}${
    isTeacher(visit) &&
    near.length > 0 &&
    postForm(
      visit,
      `${path}/let-in`,
      // nobody comes in whom the teacher has not seen
      html`${hidden('seats', near.map(({ seatId }) => seatId).join(' '))}<button
        id="let-all-in">${say('lesson.letAllIn', { count: near.length })}</button>`,
      'here',
    )
  }</div>
      <ul class="seats">${waiting.map((seat) => seatItem(visit, path, seat))}</ul>
      ${waiting.some(({ elsewhere, letIn }) => elsewhere && !letIn) && html`<p class="hint">${say('lesson.elsewhereWhat')}</p>`}`
}

function seatItem(visit: SignedIn, path: string, { seatId, sign, elsewhere, letIn }: WaitingSeat): Html {
  const { say } = visit
  const name = { sign: signName(say, sign) }
  return html`<li class="seat">${signPicture(say, sign)}${
    letIn
      ? html`<span class="badge">${say('lesson.choosesName')}</span>`
      : elsewhere && html`<span class="badge warn">${say('lesson.elsewhere')}</span>`
  }${
    isTeacher(visit) &&
    html`${
      !letIn &&
      postForm(
        visit,
        `${path}/let-in`,
        html`${hidden('seats', seatId)}<button class="small" id="in-${seatId}" aria-label="${say('lesson.letInOne', name)}">${say('lesson.letIn')}</button>`,
        'here',
      )
    }${postForm(
      visit,
      `${path}/turn-away`,
      html`${hidden('seat', seatId)}<button class="quiet small" id="away-${seatId}" aria-label="${say('lesson.turnAwayOne', name)}">${say('lesson.turnAway')}</button>`,
      'here',
    )}`
  }</li>`
}

function pupilTable(visit: SignedIn, { lesson, pupils, levels }: GetBoardResponse): Html {
  const { say } = visit
  const heading = html`<h2 id="pupils" tabindex="-1">${say('lesson.pupils')}</h2>`
  if (pupils.length === 0) return html`${heading}<p class="muted">${say('lesson.noPupils')}</p>`
  return html`${heading}${levels.length === 0 && html`<p class="muted">${say('lesson.noLevels')}</p>`}
      <div class="table" role="region" aria-label="${say('lesson.table')}" tabindex="0" id="cells"><table class="cells"><thead><tr>
      <th scope="col">${say('lesson.pupil')}</th>${levels.map(
        (level) => html`<th scope="col">${nameOf(visit, level)}</th>`,
      )}</tr></thead><tbody>${pupils.map((pupil) => row(visit, pathOf(lesson!), pupil))}</tbody></table></div>`
}

function row(visit: SignedIn, path: string, pupil: BoardPupil): Html {
  const { say } = visit
  const { name, here, seatId, cells, stuckAt, stuckSeconds } = pupil
  const minutes = Math.floor(stuckSeconds / 60)
  return html`<tr${stuckAt !== undefined && html` class="stuck"`}><th scope="row"><div class="pupil"><span class="name">${name}</span> ${
    stuckAt !== undefined
      ? html`<span class="badge bad">${say('lesson.stuckFor', { minutes })}</span>`
      : here
        ? html`<span class="badge good">${say('lesson.here')}</span>`
        : html`<span class="badge">${say('lesson.away')}</span>`
  }${
    isTeacher(visit) &&
    seatId !== '' &&
    postForm(
      visit,
      `${path}/turn-away`,
      html`${hidden('seat', seatId)}<button class="quiet small" id="away-${seatId}" aria-label="${say('lesson.removeSeat', { name })}"
      title="${say('lesson.removeSeat', { name })}">×</button>`,
      'here',
    )
  }</div></th>${cells.map((cell, n) => boardCell(visit, cell, n === stuckAt ? minutes : -1))}</tr>`
}

function boardCell({ say }: SignedIn, cell: BoardCell, stuck: number): Html {
  const state = cell.done ? 'done' : cell.failed ? 'failed' : cell.tries > 0 ? 'begun' : 'none'
  const words = say('lesson.cell', { state, tries: cell.tries, now: cell.now ? 'yes' : 'no', stuck })
  return html`<td class="${state}${cell.now && ' now'}${stuck >= 0 && ' stuck'}" title="${words}"><span aria-hidden="true">${signs[state]}${
    cell.tries > 1 && html` <small>${cell.tries}</small>`
  }</span><span class="visually-hidden">${words}</span></td>`
}

const signs = { done: '✓', failed: '✗', begun: '…', none: '' } as const

function nextGame(visit: SignedIn, lesson: Lesson, games: readonly GameSummary[]): Html {
  const { say } = visit
  const others = games.filter(({ slug }) => slug !== lesson.gameSlug)
  if (others.length === 0) return html``
  return html`<section aria-labelledby="next"><h2 id="next">${say('lesson.next')}</h2>${postForm(
    visit,
    `${pathOf(lesson)}/game`,
    html`${select({
      name: 'game_slug',
      label: say.text('class.game'),
      required: true,
      of: others.map(({ slug, name }) => ({ value: slug, text: name })),
    })}<p class="hint">${say('lesson.nextWhat')}</p>${submit(say('lesson.nextButton'), { className: 'quiet' })}`,
  )}</section>`
}

const legend = ({ say }: SignedIn): Html =>
  html`<details class="figures"><summary>${say('lesson.legend')}</summary><p class="hint">${say('lesson.legendSigns')}</p>
      <p class="hint">${say('lesson.legendStuck', stuckAfter)}</p><p class="hint">${say('lesson.legendHere')}</p></details>`

/** Asks before a lesson ends. */
export function endLessonPage(visit: SignedIn, lesson: Lesson): Html {
  const { say } = visit
  return layout(
    visit,
    say.text('lesson.endTitle'),
    question(
      visit,
      `${pathOf(lesson)}/end`,
      html`<p>${say('lesson.endWhat')}</p>`,
      say.text('lesson.end'),
      pathOf(lesson),
      { stay: say.text('lesson.stay') },
    ),
    { inLanguage: true, width: 'narrow', trail: trailOf(visit, lesson) },
  )
}
