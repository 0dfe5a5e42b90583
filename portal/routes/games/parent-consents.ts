import type { Router } from 'express'
import { parentPage } from '../../pages/games/play/parent.ts'
import { consentRulePage } from '../../pages/games/schools/consent-rule.ts'
import { slipsPage } from '../../pages/games/schools/slips.ts'
import { toLearner } from '../../web/failure.ts'
import { routes } from '../../web/routes.ts'
import { uuid, type Portal, type SignedIn, type Visit } from '../../web/visit.ts'
import type { Sent } from '../../pages/parts/form.ts'

/** Who agrees for the pupils of a school, the slips for parents, and where their links lead. */
export const parentConsents = (portal: Portal): Router =>
  routes(portal)
    .atSchool('GET /school/consent', (visit) => showRule(visit))
    .atSchool(
      'POST /school/consent',
      async ({ core, form }) => {
        await core.parentConsents.setConsentRule({ parents: form('parents') === 'yes', text: form('text') })
        return '/school/consent?done=saved'
      },
      showRule,
    )
    .teacher('POST /classes/:class/slips', async (visit) => {
      const classId = uuid(visit, 'class')
      const pupilIds = visit.form('pupil') === '' ? [] : [visit.form('pupil')]
      const [{ links }, { rule }, { class: of }] = await Promise.all([
        visit.core.parentConsents.makeParentLinks({ classId, pupilIds }),
        visit.core.parentConsents.getConsentRule({}),
        visit.core.schools.getSchoolClass({ classId }),
      ])
      visit.response.set('Cache-Control', 'no-store, no-transform')
      return slipsPage(visit, of!, rule!, links)
    })
    .teacher('POST /classes/:class/pupils/:pupil/consent', async (visit) => {
      const of = { classId: uuid(visit, 'class'), pupilId: uuid(visit, 'pupil') }
      const agreed = visit.form('agreed') === 'yes'
      await visit.core.parentConsents.noteConsent({ ...of, agreed, erase: visit.form('erase') !== '' })
      return `/classes/${of.classId}/pupils/${of.pupilId}`
    })
    .page('GET /parent/:code', (visit) => showParent(visit))
    .page(
      'POST /parent/:code',
      async (visit) => {
        const { form } = visit
        const version = /^\d{1,9}$/.test(form('version')) ? Number(form('version')) : 0
        const parentName = form('parent_name').slice(0, 1_000)
        await visit.core.parentConsents.giveParentConsent({ ...byLink(visit), version, parentName })
        return pathOf(visit)
      },
      showParent,
    )
    .page('POST /parent/:code/withdraw', async (visit) => {
      await visit.core.parentConsents.withdrawParentConsent({ ...byLink(visit), erase: visit.form('erase') !== '' })
      return pathOf(visit)
    })

const codeOf = ({ request }: Visit): string => String(request.params['code']).slice(0, 100)
const pathOf = (visit: Visit): string => `/parent/${encodeURIComponent(codeOf(visit))}`
const byLink = (visit: Visit) => ({ code: codeOf(visit), senderIp: visit.senderIp })

async function showParent(visit: Visit, { failure, values }: Sent = {}) {
  visit.response.set('Cache-Control', 'no-store')
  const of = await visit.core.parentConsents.getParentConsent(byLink(visit))
  return parentPage(visit, codeOf(visit), of, { values, failure: failure && toLearner(visit.say, failure) })
}

async function showRule(visit: SignedIn, { failure, values }: Sent = {}) {
  const { rule } = await visit.core.parentConsents.getConsentRule({})
  const { say } = visit
  const done = visit.query('done') === 'saved' ? say.text('school.agreeSaved') : undefined
  // one word for the field of a school and that of a report would not fit both
  const told = failure && { ...failure, message: say.text('school.agreeWrong') }
  return consentRulePage(visit, rule!, { values, failure: told }, done)
}
