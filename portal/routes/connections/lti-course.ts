import type { Router } from 'express'
import { TakeLtiMembersResponse_Outcome as Outcome } from '../../../gen/lrs/v1/lti_pb.js'
import { coursePage } from '../../pages/connections/lti/course.ts'
import { slow } from '../../web/core-client.ts'
import { routes } from '../../web/routes.ts'
import { uuid, type Portal } from '../../web/visit.ts'

/** The pupils of a class from its course on a learning platform. */
export const ltiCourse = (portal: Portal): Router =>
  routes(portal).teacher('POST /classes/:class/course', async (visit) => {
    const { core, form } = visit
    const classId = uuid(visit, 'class')
    const leavers = /^\d{1,4}$/.test(form('leavers')) ? Number(form('leavers')) : 0
    const taken = await core.lti.takeLtiMembers({ classId, leavers }, slow)
    if (taken.outcome === Outcome.TAKEN) return `/classes/${classId}?done=members`
    return coursePage(visit, await core.schools.getSchoolClass({ classId }), taken, form('leavers'))
  })
