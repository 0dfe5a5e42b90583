import type { Router } from 'express'
import { csvFile } from '../../../shared/csv.ts'
import { html } from '../../web/html.ts'
import { classPage, cardsOfSheet, hasStarted, isOpen, linksSeen, withoutLink } from '../../pages/games/classes/class.ts'
import { endClassPage, handOverClassPage, questionPage } from '../../pages/games/classes/class-ends.ts'
import { classesPage } from '../../pages/games/classes/classes.ts'
import { linksChanged, sheetPage } from '../../pages/games/classes/sheet.ts'
import { routes } from '../../web/routes.ts'
import { notice, uuid, type Form, type Portal, type Visit } from '../../web/visit.ts'
import { gameOf } from '../parts/game-of.ts'
import { showInvitations } from './invitations.ts'

const done: Readonly<Record<string, string>> = {
  made: 'The class is there. Next, make the links and print them.',
  added: 'The learners are in the class. Next, make their links.',
  ended: 'The class has ended. You can undo that for a day.',
  revoked: 'The invitation and its sessions have ended. You can undo that for a day.',
  back: 'The invitation is good again, with the link that it had.',
  restored: 'The class is open again: its links are good as before.',
}

/** Classes: learners who are invited together, their links on paper, their results. */
export const classes = (portal: Portal): Router =>
  routes(portal)
    .signedIn('GET /games/:id/classes', async (visit) => {
      const { classes } = await visit.core.classes.listClasses({ gameId: uuid(visit) })
      return classesPage(visit, await gameOf(visit), classes)
    })
    .developer(
      'POST /games/:id/classes',
      async (visit) => {
        const { classId } = await visit.core.classes.createClass({
          gameId: uuid(visit),
          name: visit.form('name'),
          ...invited(visit.form),
        })
        return `/games/${uuid(visit)}/classes/${classId}?done=made`
      },
      (visit, sent) => showInvitations(visit, { ofClass: sent }),
    )
    .signedIn('GET /games/:id/classes/:class', async (visit) => {
      const [game, found] = await Promise.all([gameOf(visit), classOf(visit)])
      return classPage(visit, game, found, { done: notice(visit, done) })
    })
    .signedIn('GET /games/:id/classes/:class/results.csv', async (visit) => {
      const { class: of, learners } = await classOf(visit, true)
      const ofLevels = ['completed', 'passed', 'failed', 'abandoned'] as const
      const head = ['learner', 'started', 'sessions', 'attempts']
        .concat(ofLevels.map((name) => `levels_${name}`))
        .concat('best_score', 'seconds', 'last_seen', 'statements')
      const lines = learners.map((one) => {
        const { attempts, bestScore, seconds, last, statements, ...result } = one.result!
        const { learnerName, used } = one.invitation!
        const started = hasStarted(one) ? 'yes' : 'no'
        const levels = ofLevels.map((name) => result[name])
        const seen = last > 0n ? new Date(Number(last) * 1000).toISOString() : ''
        return [learnerName, started, used, attempts, ...levels, bestScore, seconds, seen, statements]
      })
      visit.response
        .set({ 'Content-Type': 'text/csv; charset=utf-8', 'Cache-Control': 'no-store' })
        .attachment(`${of!.name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.csv`)
        .send(csvFile([head, ...lines]))
    })
    .developer(
      'POST /games/:id/classes/:class/learners',
      async (visit) => {
        await visit.core.classes.addToClass({ ...named(visit), ...invited(visit.form) })
        return `${pathOf(visit)}?done=added`
      },
      async (visit, sent) => classPage(visit, await gameOf(visit), await classOf(visit), sent),
    )
    .developer('GET /games/:id/classes/:class/links', async (visit) => {
      const [game, { class: of, learners }] = await Promise.all([gameOf(visit), classOf(visit)])
      const all = learners.filter(isOpen)
      const parts = Array.from({ length: Math.ceil(all.length / cardsOfSheet) }, (_, part) =>
        all.slice(part * cardsOfSheet, (part + 1) * cardsOfSheet),
      )
      const part = Math.min(Math.max(0, Number.parseInt(visit.query('part'), 10) || 0), Math.max(0, parts.length - 1))
      const some = parts[part] ?? []
      const rangeOf = (of: typeof some) => `${of[0]?.invitation!.learnerName} to ${of.at(-1)?.invitation!.learnerName}`
      return questionPage(visit, game, {
        title: `New links for ${of!.name}?`,
        text: html`<p>The ${some.length} links that these learners have stop, and so do sessions that run with them.
          The learners stay the same, with all results. Print the new links at once: they are shown only once.</p>
            ${
              parts.length > 1 &&
              html`<p>This sheet has the learners from ${rangeOf(some)}. Other sheets: ${parts.map(
                (of, n) => n !== part && html`<a href="${pathOf(visit)}/links?part=${n}">${rangeOf(of)}</a> `,
              )}</p>`
            }`,
        action: `${pathOf(visit)}/links`,
        button: `Make ${some.length} new links`,
        fields: html`<input type="hidden" name="seen" value="${linksSeen(learners)}"><input type="hidden" name="part"
          value="${part}">`,
        back: pathOf(visit),
      })
    })
    .developer('POST /games/:id/classes/:class/links', async (visit) => {
      const [game, { class: of, learners }] = await Promise.all([gameOf(visit), classOf(visit)])
      // a reload sends the form again, which would end the links that were just printed
      if (linksSeen(learners) !== visit.form('seen')) throw linksChanged()
      const part = Number.parseInt(visit.form('part'), 10)
      const start = Number.isSafeInteger(part) ? Math.max(0, part) * cardsOfSheet : 0
      const from = Number.isSafeInteger(part) ? learners.filter(isOpen) : withoutLink(learners)
      const invitationIds = from.slice(start, start + cardsOfSheet).map(({ invitation }) => invitation!.invitationId)
      if (invitationIds.length === 0) return pathOf(visit)
      const { links } = await visit.core.classes.renewLinks({ gameId: uuid(visit), invitationIds })
      visit.response.set('Cache-Control', 'no-store, no-transform')
      return sheetPage(visit, game, links, { href: pathOf(visit), text: 'Back to the class', title: of!.name })
    })
    .developer('GET /games/:id/classes/:class/end', async (visit) => {
      const [game, { class: of }] = await Promise.all([gameOf(visit), classOf(visit)])
      return endClassPage(visit, game, of!, pathOf(visit))
    })
    .developer('POST /games/:id/classes/:class/end', async (visit) => {
      await visit.core.classes.endClass(named(visit))
      return `${pathOf(visit)}?done=ended`
    })
    .developer('POST /games/:id/classes/:class/hand-over', async (visit) => {
      const [game, { class: of }] = await Promise.all([gameOf(visit), classOf(visit)])
      const { code } = await visit.core.classes.handOverClass(named(visit))
      visit.response.set('Cache-Control', 'no-store, no-transform')
      return handOverClassPage(visit, game, of!, code)
    })
    .developer('POST /games/:id/classes/:class/restore', async (visit) => {
      await visit.core.classes.restoreClass(named(visit))
      return `${pathOf(visit)}?done=restored`
    })

const invited = (form: Form) => ({
  learnerNames: form('learner_names')
    .split('\n')
    .slice(0, 1_000)
    .map((name) => name.slice(0, 1_000)),
  nicknames: Math.min(1_000, Math.max(0, Number.parseInt(form('nicknames'), 10) || 0)),
})

const named = (visit: Visit) => ({ gameId: uuid(visit), classId: uuid(visit, 'class') })
const pathOf = (visit: Visit): string => `/games/${uuid(visit)}/classes/${uuid(visit, 'class')}`
/** Async, so that an address that names nothing rejects like the calls beside it. */
const classOf = async (visit: Visit, forFile = false) => visit.core.classes.getClass({ ...named(visit), forFile })
