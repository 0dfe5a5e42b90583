import type { GameSummary } from '../../../../gen/lrs/v1/games_pb.js'
import type { ConsentRule } from '../../../../gen/lrs/v1/parent_consents_pb.js'
import type { SchoolClass } from '../../../../gen/lrs/v1/schools_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Say } from '../../../web/say.ts'
import { isOwner, isTeacher, type SignedIn } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { ruleLine } from '../../parts/consent-rule.ts'
import { form, hidden, submit, type Sent } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

/** @param game the one for which a class is to be chosen; undefined: none */
export function classesPage(
  visit: SignedIn,
  classes: readonly SchoolClass[],
  rule: ConsentRule,
  game: GameSummary | undefined,
  sent: Sent = {},
): Html {
  const { say } = visit
  const isTaking = sent.failure?.path === 'class_code'
  const query = game ? `?game=${game.slug}` : ''
  return layout(
    visit,
    say.text('school.classes'),
    html`
      ${game && html`<p class="notice">${say('class.choose', { game: game.name })}</p>`}
      ${
        classes.length === 0
          ? html`<div class="card empty"><p class="muted">${say('class.none')}</p></div>`
          : html`<div class="table"><table class="stack"><thead><tr><th scope="col">${say('class.class')}</th>
        <th scope="col">${say('class.pupils')}</th><th scope="col">${say('class.lastLesson')}</th></tr></thead>
        <tbody>${classes.map(
          ({ classId, name, pupils, lastLesson }) =>
            html`<tr><th scope="row"><a href="/classes/${classId}${query}">${name}</a></th>
          <td data-heading="${say('class.pupils')}">${pupils}</td>
          <td data-heading="${say('class.lastLesson')}">${lastLesson > 0n ? moment(lastLesson) : say('class.never')}</td></tr>`,
        )}</tbody></table></div>`
      }
      ${
        isTeacher(visit) &&
        html`<section class="card" aria-labelledby="new"><h2 id="new">${say('class.new')}</h2>${form(
          visit,
          '/classes',
          isTaking ? {} : sent,
          [
            game && hidden('game', game.slug),
            {
              name: 'name',
              label: say.text('class.name'),
              hint: say.text('class.nameHint'),
              required: true,
              maxLength: 100,
            },
            pupilNames(say, false),
            submit(say('class.make')),
          ],
        )}</section>
        <section class="card" aria-labelledby="take"><h2 id="take">${say('class.take')}</h2>${form(
          visit,
          '/classes/take',
          isTaking ? sent : {},
          [
            {
              name: 'code',
              label: say.text('class.takeCode'),
              hint: say.text('class.takeHint'),
              required: true,
              maxLength: 40,
            },
            submit(say('class.takeButton'), { className: 'quiet' }),
          ],
        )}</section>`
      }
      <section class="card" aria-labelledby="school"><h2 id="school">${say('class.school')}</h2>
        <p>${ruleLine(visit, rule)} <a href="/school/consent">${say('school.agree')}</a></p>
        ${
          isOwner(visit) &&
          html`<p>${say('class.rosterWhat', { roster: (parts) => html`<a href="/roster">${parts}</a>` })}</p>`
        }
        ${isTeacher(visit) && html`<p><a href="/platforms">${say('platform.title')}</a></p>`}
      </section>`,
    { inLanguage: true, lead: say.text('class.lead') },
  )
}

/** The field for names of pupils, one in a line. */
export const pupilNames = (say: Say, required: boolean) => ({
  name: 'pupil_names',
  label: say.text('class.names'),
  hint: say.text('class.namesHint'),
  rows: 8,
  required,
  note: say.text('class.optional'),
})
