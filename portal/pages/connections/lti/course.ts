import type { GetSchoolClassResponse } from '../../../../gen/lrs/v1/schools_pb.js'
import {
  TakeLtiMembersResponse_Outcome as Outcome,
  type TakeLtiMembersResponse,
} from '../../../../gen/lrs/v1/lti_pb.js'
import { rosters, schools } from '../../../../shared/limits.ts'
import { html, type Html } from '../../../web/html.ts'
import type { SignedIn } from '../../../web/visit.ts'
import { form, submit } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'

/** Why the pupils of a class were not taken from its course, and a form to do it again. */
export function coursePage(
  visit: SignedIn,
  { class: of }: GetSchoolClassResponse,
  taken: TakeLtiMembersResponse,
  typed: string,
): Html {
  const { say } = visit
  const path = `/classes/${of!.classId}`
  const asks = taken.outcome === Outcome.MANY_LEAVE
  return layout(
    visit,
    say.text('course.title'),
    html`<p class="notice warn" role="alert">${whyNot(visit, taken, typed)}</p><div class="card">${form(
      visit,
      `${path}/course`,
      {},
      [
        asks && html`<p>${say('roster.leavers', { days: rosters.goneDays })}</p>`,
        ...(asks
          ? [{ name: 'leavers', label: say.text('roster.number'), type: 'number' as const, required: true }]
          : []),
        submit(say(asks ? 'course.take' : 'course.again'), {
          beside: html`<a class="button quiet" href="${path}">${say('class.back')}</a>`,
        }),
      ],
    )}</div>`,
    {
      inLanguage: true,
      width: 'narrow',
      trail: [
        { href: '/classes', text: say.text('school.classes') },
        { href: path, text: of!.name },
      ],
    },
  )
}

function whyNot({ say }: SignedIn, { outcome, learners, leaves, before, why }: TakeLtiMembersResponse, typed: string) {
  switch (outcome) {
    case Outcome.MANY_LEAVE:
      return html`${typed !== '' && html`${say('course.wrongNumber')} `}${say('course.many', { leaves, before })}`
    case Outcome.NOBODY:
      return say('course.nobody')
    case Outcome.FULL:
      return say('course.full', { learners, pupils: schools.ofClass })
    default:
      return say('course.noAnswer', { why })
  }
}
