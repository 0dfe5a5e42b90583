import type { Router } from 'express'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { LtiCheck } from '../../../gen/lrs/v1/lti_pb.js'
import { gradesPage } from '../../pages/connections/lti/grades.ts'
import { platformPage, platformsPage, refusalsPage } from '../../pages/connections/lti/platforms.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { PageFailure } from '../../web/failure.ts'
import { routes } from '../../web/routes.ts'
import { uuid, type Portal, type SignedIn } from '../../web/visit.ts'

/** The learning platforms of a school, why their launches were refused, and the grades that they get. */
export const platforms = (portal: Portal): Router =>
  routes(portal)
    .teacher('GET /platforms', (visit) => showAll(visit))
    .teacher(
      'POST /platforms',
      async (visit) => {
        const { platformId } = await visit.core.lti.addPlatform({ platform: platformIn(visit) })
        return `/platforms/${platformId}?done=added`
      },
      showAll,
    )
    .teacher('POST /platforms/register', async (visit) => {
      const { code } = await visit.core.lti.startRegistration({})
      visit.response.set('Cache-Control', 'no-store, no-transform')
      return showAll(visit, {}, `${visit.at.portal}/lti/register/${code}`)
    })
    .teacher('GET /platforms/refused', async (visit) =>
      refusalsPage(visit, (await visit.core.lti.listLtiRefusals({})).refusals),
    )
    .teacher('GET /platforms/:platform', (visit) => showOne(visit))
    .teacher(
      'POST /platforms/:platform',
      async (visit) => {
        await visit.core.lti.changePlatform({ platform: platformIn(visit) })
        return `/platforms/${uuid(visit, 'platform')}?done=saved`
      },
      showOne,
    )
    .teacher('POST /platforms/:platform/test', async (visit) => {
      const { checks } = await visit.core.lti.testPlatform({
        platformId: uuid(visit, 'platform'),
        portalUrl: visit.at.portal,
      })
      return showOne(visit, {}, checks)
    })
    .teacher('POST /platforms/:platform/remove', async (visit) => {
      await visit.core.lti.removePlatform({ platformId: uuid(visit, 'platform') })
      return '/platforms'
    })
    .teacher('GET /classes/:class/grades', async (visit) => {
      const of = { classId: uuid(visit, 'class') }
      const { schools, lti } = visit.core
      const [{ class: one }, { grades }] = await Promise.all([schools.getSchoolClass(of), lti.listLtiGrades(of)])
      return gradesPage(visit, one!, grades)
    })
    .teacher('POST /classes/:class/grades', async (visit) => {
      const classId = uuid(visit, 'class')
      await visit.core.lti.sendLtiGrade({ classId, gradeId: visit.form('grade') })
      return `/classes/${classId}/grades?done=again`
    })

const linesIn = (text: string): string[] => text.split('\n').slice(0, 200)

const platformIn = ({ form, request }: SignedIn) => ({
  platformId: String(request.params['platform'] ?? ''),
  name: form('name'),
  issuer: form('issuer'),
  clientId: form('client_id'),
  loginUrl: form('login_url'),
  tokenUrl: form('token_url'),
  jwksUrl: form('jwks_url'),
  deployments: linesIn(form('deployments')),
  origins: linesIn(form('origins')),
})

/** Core names the fields of a platform within it. */
const sentOf = ({ failure, ...sent }: Sent): Sent => ({
  ...sent,
  failure: failure && { ...failure, path: failure.path.replace(/^platform\./, '') },
})

const showAll = async (visit: SignedIn, sent: Sent = {}, link?: string) =>
  platformsPage(visit, await visit.core.lti.listPlatforms({}), sentOf(sent), link)

async function showOne(visit: SignedIn, sent: Sent = {}, checks: readonly LtiCheck[] = []) {
  const { platforms: all } = await visit.core.lti.listPlatforms({})
  const found = all.find(({ platformId }) => platformId === uuid(visit, 'platform'))
  if (!found) throw new PageFailure(Reason.NOT_FOUND, visit.say.text('platform.missing'))
  return platformPage(visit, found, checks, sentOf(sent))
}
