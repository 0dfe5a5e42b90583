import type { GameSummary } from '../../../../gen/lrs/v1/games_pb.js'
import type { GetLtiCourseResponse } from '../../../../gen/lrs/v1/lti_pb.js'
import type { Lesson } from '../../../../gen/lrs/v1/lessons_pb.js'
import type { ParentConsent } from '../../../../gen/lrs/v1/parent_consents_pb.js'
import type { GetSchoolClassResponse, Pupil } from '../../../../gen/lrs/v1/schools_pb.js'
import { erasureRequests } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Say } from '../../../web/say.ts'
import { isTeacher, type SignedIn } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { button, form, hidden, postForm, question, submit, type Sent } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { pupilNames } from './classes.ts'

interface OfClass {
  readonly found: GetSchoolClassResponse
  readonly lessons: readonly Lesson[]
  /** That a lesson can have. */
  readonly games: readonly GameSummary[]
  /** Of a learning platform, for teachers. */
  readonly course?: GetLtiCourseResponse | undefined
  readonly done?: string | undefined
}

/** A class: its lessons and its pupils. */
export function schoolClassPage(
  visit: SignedIn,
  { found, lessons, games, course, done }: OfClass,
  sent: Sent = {},
): Html {
  const { say } = visit
  const { classId, name } = found.class!
  const path = `/classes/${classId}`
  const teaches = isTeacher(visit)
  return layout(
    visit,
    name,
    html`
      ${teaches && start(visit, path, games, sent)}
      <section aria-labelledby="lessons"><h2 id="lessons">${say('class.lessons')}</h2>${lessonList(visit, lessons)}</section>
      <section aria-labelledby="pupils"><h2 id="pupils">${say('class.pupils')}</h2>${slips(visit, path, found.pupils)}${pupilTable(visit, path, found.pupils)}
        ${
          teaches &&
          html`<div class="actions">${
            found.pupils.length > 0 && html`<a class="button quiet" href="${path}/cards">${say('class.cards')}</a>`
          }<a class="button quiet" href="${path}/remove">${say('class.remove')}</a></div>`
        }</section>
      ${course && course.platform !== '' && fromCourse(visit, path, course)}
      ${
        teaches &&
        html`<section class="card" aria-labelledby="add"><h2 id="add">${say('class.add')}</h2>${form(
          visit,
          `${path}/pupils`,
          sent,
          [pupilNames(say, true), submit(say('class.addButton'), { className: 'quiet' })],
        )}</section>`
      }`,
    { inLanguage: true, trail: trailOf(visit), done },
  )
}

const trailOf = ({ say }: SignedIn) => [{ href: '/classes', text: say.text('school.classes') }]

function start(visit: SignedIn, path: string, games: readonly GameSummary[], sent: Sent): Html {
  const { say } = visit
  if (games.length === 0) return html`<p class="notice">${say('class.noGames')}</p>`
  return html`<section class="card" aria-labelledby="start"><h2 id="start">${say('class.start')}</h2>${form(
    visit,
    `${path}/lessons`,
    sent,
    [
      {
        name: 'game_slug',
        label: say.text('class.game'),
        required: true,
        value: visit.query('game'),
        of: [
          ...(games.length > 1 ? [{ value: '', text: say.text('class.chooseGame') }] : []),
          ...games.map((game) => ({ value: game.slug, text: game.name })),
        ],
      },
      html`<label class="check"><input type="checkbox" name="newcomers" value="yes"> ${say('class.newcomers')}</label>`,
      submit(say('class.startButton')),
    ],
  )}</section>`
}

/** The pupils are those of a course, if its platform offers them. */
const fromCourse = (visit: SignedIn, path: string, { platform, offersMembers }: GetLtiCourseResponse): Html =>
  html`<section class="card" aria-labelledby="course"><h2 id="course">${visit.say('course.title')}</h2>
    <p>${visit.say(offersMembers ? 'course.what' : 'course.notOffered', { platform })}</p>
    <p><a href="${path}/grades">${visit.say('grade.title')}</a></p>${
      offersMembers && button(visit, `${path}/course`, visit.say('course.take'), { className: 'quiet' })
    }</section>`

function lessonList({ say }: SignedIn, lessons: readonly Lesson[]): Html {
  if (lessons.length === 0) return html`<p class="muted">${say('class.noLessons')}</p>`
  return html`<div class="table"><table class="stack"><thead><tr><th scope="col">${say('class.game')}</th>
    <th scope="col">${say('class.when')}</th><th scope="col">${say('class.result')}</th></tr></thead>
    <tbody>${lessons.map(
      ({
        lessonId,
        gameName,
        opened,
        ended,
      }) => html`<tr><th scope="row"><a href="/lessons/${lessonId}">${gameName}</a>${
        ended === 0n && html` <span class="badge good">${say('class.open')}</span>`
      }</th><td data-heading="${say('class.when')}">${moment(opened)}</td>
      <td data-heading="${say('class.result')}"><a href="/lessons/${lessonId}/report">${say('class.report')}<span
      class="visually-hidden"> ${gameName}</span></a></td></tr>`,
    )}</tbody></table></div>`
}

/** How many may not play, and how to ask their parents. */
function slips(visit: SignedIn, path: string, pupils: readonly Pupil[]): Html | undefined {
  const { say } = visit
  const count = pupils.filter(({ lacksConsent }) => lacksConsent).length
  if (count === 0) return undefined
  return html`<div class="notice warn"><p>${say('class.mayNot', { count })}</p>${
    isTeacher(visit) &&
    html`<p>${say('class.slipsWhat')}</p>${postForm(visit, `${path}/slips`, submit(say('class.slips')), 'inline')}`
  }</div>`
}

function pupilTable(visit: SignedIn, path: string, pupils: readonly Pupil[]): Html {
  const { say } = visit
  if (pupils.length === 0) return html`<p class="muted">${say('class.noPupils')}</p>`
  const teaches = isTeacher(visit)
  // observers see the nickname in place of the name
  return html`<p class="hint">${say('class.aliasHint')}</p><div class="table"><table class="stack"><thead><tr>
    <th scope="col">${say('class.pupil')}</th>${teaches && html`<th scope="col">${say('class.alias')}</th>`}
    <th scope="col">${say('class.picture')}</th></tr></thead><tbody>${pupils.map(
      ({ pupilId, name, alias, hasPicture, lacksConsent }) =>
        html`<tr><th scope="row">${teaches ? html`<a href="${path}/pupils/${pupilId}">${name}</a>` : name}${
          lacksConsent && html` <span class="badge warn">${say('class.noConsent')}</span>`
        }</th>
        ${teaches && html`<td data-heading="${say('class.alias')}">${alias}</td>`}
        <td data-heading="${say('class.picture')}">${say(hasPicture ? 'class.chosen' : 'class.notChosen')}</td></tr>`,
    )}</tbody></table></div>`
}

/** A pupil: its name, its picture, what its parents said, its end. @param consents undefined: the school acts for them */
export function pupilPage(
  visit: SignedIn,
  { class: of }: GetSchoolClassResponse,
  pupil: Pupil,
  consents: readonly ParentConsent[] | undefined,
  sent: Sent = {},
): Html {
  const { say } = visit
  const path = `/classes/${of!.classId}/pupils/${pupil.pupilId}`
  return layout(
    visit,
    pupil.name,
    html`<div class="card">${form(visit, path, sent, [
      { name: 'name', label: say.text('class.pupilName'), value: pupil.name, required: true, maxLength: 100 },
      pupil.hasPicture &&
        html`<label class="check"><input type="checkbox" name="forget_picture" value="yes"> ${say('class.newPicture')}</label>`,
      submit(say('class.save')),
    ])}</div>${consents && consentOf(visit, path, pupil, consents)}<h2>${say('class.removePupil')}</h2>${question(
      visit,
      `${path}/remove`,
      html`<p>${say('class.removePupilWhat', { name: pupil.name })}</p>`,
      say.text('class.removePupilButton'),
      `/classes/${of!.classId}`,
      { stay: say.text('class.back'), fields: [eraseToo(say)] },
    )}`,
    {
      inLanguage: true,
      width: 'narrow',
      trail: [...trailOf(visit), { href: `/classes/${of!.classId}`, text: of!.name }],
    },
  )
}

/** What the parents of a pupil said, and what a teacher can note. */
function consentOf(visit: SignedIn, path: string, pupil: Pupil, consents: readonly ParentConsent[]): Html {
  const { say } = visit
  const mayPlay = !pupil.lacksConsent
  return html`<section class="card" aria-labelledby="consent"><h2 id="consent">${say('class.consent')}</h2>
    <p>${say(mayPlay ? 'class.mayPlay' : 'class.noneAgreed')}</p>${
      consents.length > 0 &&
      html`<div class="table"><table class="stack"><thead><tr><th scope="col">${say('class.consentWhen')}</th>
      <th scope="col">${say('class.consentWhat')}</th><th scope="col">${say('class.consentWho')}</th></tr></thead>
      <tbody>${consents.map(
        ({ agreed, at, onPaper, version, parentName, notedBy }) =>
          html`<tr><th scope="row">${moment(at, 'minute', say.language)}</th><td
        data-heading="${say('class.consentWhat')}">${say(agreed ? 'class.agreed' : 'class.withdrawn', { version })}</td>
        <td data-heading="${say('class.consentWho')}">${saidBy(visit, onPaper, onPaper ? notedBy : parentName)}</td></tr>`,
      )}</tbody></table></div>`
    }${
      mayPlay &&
      form(visit, `${path}/consent`, {}, [
        html`<p>${say('class.endConsent')}</p>`,
        eraseToo(say),
        submit(say('class.withdraw'), { className: 'quiet' }),
      ])
    }<div class="actions">${button(visit, `${path.replace(/\/pupils.*/, '')}/slips`, say('class.link'), { fields: hidden('pupil', pupil.pupilId) })}${
      !mayPlay && button(visit, `${path}/consent`, say('class.paper'), { fields: hidden('agreed', 'yes') })
    }</div></section>`
}

function saidBy({ say }: SignedIn, onPaper: boolean, name: string): Html {
  if (name === '') return say(onPaper ? 'class.onPaperOnly' : 'class.byLinkOnly')
  return say(onPaper ? 'class.onPaper' : 'class.byLink', { name })
}

const eraseToo = (say: Say) => ({
  name: 'erase',
  label: '',
  content: html`<label class="check"><input type="checkbox" name="erase" value="yes"> ${say('class.erase', { days: erasureRequests.days })}</label>`,
})

/** Asks before all cards get new codes, or before a class is removed. */
export function classQuestionPage(
  visit: SignedIn,
  { class: of }: GetSchoolClassResponse,
  what: 'cards' | 'remove',
): Html {
  const { say } = visit
  const path = `/classes/${of!.classId}`
  const isCards = what === 'cards'
  const title = say.text(isCards ? 'class.cardsTitle' : 'class.removeTitle', { name: of!.name })
  return layout(
    visit,
    title,
    question(
      visit,
      `${path}/${what}`,
      html`<p>${say(isCards ? 'class.cardsWhat' : 'class.removeWhat')}</p>`,
      say.text(isCards ? 'class.cardsButton' : 'class.removeButton'),
      path,
      { stay: say.text('class.back'), ...(isCards ? { className: '' } : { fields: [eraseToo(say)] }) },
    ),
    { inLanguage: true, width: 'narrow', trail: [...trailOf(visit), { href: path, text: of!.name }] },
  )
}
