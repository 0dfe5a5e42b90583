import type { Router } from 'express'
import { Reason, type Failure } from '../../../gen/lrs/v1/failure_pb.js'
import { cardsPage } from '../../pages/games/schools/cards.ts'
import { classQuestionPage, pupilPage, schoolClassPage } from '../../pages/games/schools/class.ts'
import { classesPage } from '../../pages/games/schools/classes.ts'
import { lessons as lessonLimits, schools as limits } from '../../../shared/limits.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { PageFailure, toLearner } from '../../web/failure.ts'
import { routes } from '../../web/routes.ts'
import type { Say, TextName } from '../../web/say.ts'
import { isTeacher, uuid, type Portal, type SignedIn } from '../../web/visit.ts'

/** Classes of a school, their pupils and cards; from here lessons are opened. */
export const schools = (portal: Portal): Router =>
  routes(portal)
    .atSchool('GET /classes', (visit) => showClasses(visit))
    .teacher(
      'POST /classes',
      async ({ core, form }) => {
        const made = await core.schools.createSchoolClass({ name: form('name'), pupilNames: namesIn(form) })
        return `/classes/${made.classId}${form('game') === '' ? '' : `?game=${encodeURIComponent(form('game'))}`}`
      },
      showClasses,
    )
    .teacher(
      'POST /classes/take',
      async ({ core, form }) => {
        const { classId } = await core.schools.takeOverClass({ code: form('code') })
        return `/classes/${classId}?done=taken`
      },
      showClasses,
    )
    .atSchool('GET /classes/:class', (visit) => showClass(visit))
    .teacher(
      'POST /classes/:class/pupils',
      async (visit) => {
        await visit.core.schools.addPupils({ classId: uuid(visit, 'class'), pupilNames: namesIn(visit.form) })
        return `${pathOf(visit)}?done=added`
      },
      showClass,
    )
    .teacher(
      'POST /classes/:class/lessons',
      async (visit) => {
        const { lesson } = await visit.core.lessons.openLesson({
          classId: uuid(visit, 'class'),
          gameSlug: visit.form('game_slug'),
          newcomers: visit.form('newcomers') !== '',
          senderIp: visit.senderIp,
        })
        return `/lessons/${lesson!.lessonId}`
      },
      showClass,
    )
    .teacher('GET /classes/:class/cards', async (visit) => classQuestionPage(visit, await classOf(visit), 'cards'))
    .teacher('POST /classes/:class/cards', async (visit) => {
      const { class: of, pupils } = await classOf(visit)
      const pupilIds = pupils.map(({ pupilId }) => pupilId)
      const { cards } = await visit.core.schools.renewCards({ classId: of!.classId, pupilIds })
      visit.response.set('Cache-Control', 'no-store, no-transform')
      return cardsPage(visit, of!, cards)
    })
    .teacher('GET /classes/:class/remove', async (visit) => classQuestionPage(visit, await classOf(visit), 'remove'))
    .teacher('POST /classes/:class/remove', async (visit) => {
      await visit.core.schools.removeSchoolClass({
        classId: uuid(visit, 'class'),
        erase: visit.form('erase') !== '',
      })
      return '/classes'
    })
    .teacher('GET /classes/:class/pupils/:pupil', (visit) => showPupil(visit))
    .teacher(
      'POST /classes/:class/pupils/:pupil',
      async (visit) => {
        const { core, form } = visit
        const forgetPicture = form('forget_picture') !== ''
        await core.schools.changePupil({ ...pupilIn(visit), name: form('name'), forgetPicture })
        return `${pathOf(visit)}?done=saved`
      },
      showPupil,
    )
    .teacher('POST /classes/:class/pupils/:pupil/remove', async (visit) => {
      await visit.core.schools.removePupil({ ...pupilIn(visit), erase: visit.form('erase') !== '' })
      return `${pathOf(visit)}?done=removed`
    })

const done: Readonly<Record<string, TextName>> = {
  added: 'class.added',
  saved: 'class.saved',
  removed: 'class.removed',
  taken: 'class.taken',
  members: 'course.taken',
}

const pathOf = (visit: SignedIn): string => `/classes/${uuid(visit, 'class')}`
const pupilIn = (visit: SignedIn) => ({ classId: uuid(visit, 'class'), pupilId: uuid(visit, 'pupil') })
const namesIn = (form: SignedIn['form']): string[] =>
  form('pupil_names')
    .split('\n')
    .slice(0, 1_000)
    .map((name) => name.slice(0, 1_000))

/** A refusal in the language of the teacher. */
const translated = ({ say }: SignedIn, { failure, ...sent }: Sent): Sent => ({
  ...sent,
  failure: failure && inWords(say, failure),
})

function inWords(say: Say, failure: Failure): Failure {
  if (failure.reason === Reason.QUOTA_EXCEEDED)
    return {
      ...failure,
      message: say.text('class.limit', {
        pupils: limits.ofClass,
        classes: limits.classes,
        lessons: lessonLimits.ofSchool,
      }),
    }
  // the class was found, so the game was not
  return toLearner(say, failure.reason === Reason.NOT_FOUND ? { ...failure, path: 'game_slug' } : failure)
}

const classOf = async (visit: SignedIn) => visit.core.schools.getSchoolClass({ classId: uuid(visit, 'class') })

async function showClasses(visit: SignedIn, sent: Sent = {}) {
  const wanted = (sent.values ?? visit.query)('game')
  const [{ classes }, { games }, { rule }] = await Promise.all([
    visit.core.schools.listSchoolClasses({}),
    visit.core.games.listPublishedGames({}),
    visit.core.parentConsents.getConsentRule({}),
  ])
  return classesPage(
    visit,
    classes,
    rule!,
    games.find(({ slug }) => slug === wanted),
    translated(visit, sent),
  )
}

async function showClass(visit: SignedIn, sent: Sent = {}) {
  const [found, { lessons }, { games }, course] = await Promise.all([
    classOf(visit),
    visit.core.lessons.listLessons({ classId: uuid(visit, 'class') }),
    visit.core.games.listPublishedGames({}),
    isTeacher(visit) ? visit.core.lti.getLtiCourse({ classId: uuid(visit, 'class') }) : undefined,
  ])
  const notice = Object.hasOwn(done, visit.query('done')) ? done[visit.query('done')] : undefined
  const shown = { found, lessons, games, course, done: notice && visit.say.text(notice) }
  return schoolClassPage(visit, shown, translated(visit, sent))
}

async function showPupil(visit: SignedIn, sent: Sent = {}) {
  const found = await classOf(visit)
  const pupil = found.pupils.find(({ pupilId }) => pupilId === pupilIn(visit).pupilId)
  if (!pupil) throw new PageFailure(Reason.NOT_FOUND, visit.say.text('class.noPupil'))
  const { parentConsents } = visit.core
  const { rule } = await parentConsents.getConsentRule({})
  const said = rule!.parents ? await parentConsents.listConsents(pupilIn(visit)) : undefined
  return pupilPage(visit, found, pupil, said?.consents, translated(visit, sent))
}
