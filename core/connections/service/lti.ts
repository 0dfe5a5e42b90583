import { create } from '@bufbuild/protobuf'
import {
  LaunchLtiResponse_Kind as Kind,
  LtiGradeState as GradeState,
  LtiGrading,
  LtiPlatformSchema,
  LtiService,
  TakeLtiMembersResponse_Outcome as Outcome,
} from '../../../gen/lrs/v1/lti_pb.js'
import { noGame } from '../../games/command/lessons.ts'
import { messageOf } from '../../games/service/launches.ts'
import { reads, session, hostOf } from '../../process/methods/audit-entries.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { byName } from '../../process/methods/enums.ts'
import { byDeveloper, developer } from '../../process/methods/developer.ts'
import { Refusal } from '../../process/refusal.ts'
import { sendGrade } from '../command/lti-grades.ts'
import { launch, startLogin } from '../command/lti-launch.ts'
import { testPlatform } from '../command/lti-test-launch.ts'
import { ltiCourse, takeLtiMembers } from '../command/lti-members.ts'
import { picking, pickLtiLink, startLtiPlay } from '../command/lti-play.ts'
import {
  addPlatform,
  changePlatform,
  ltiKeys,
  rotateKeys,
  registerPlatform,
  removePlatform,
  startRegistration,
} from '../command/lti-platforms.ts'
import { listGrades } from '../query/lti-grades.ts'
import { levelsToPick } from '../query/lti-levels.ts'
import type { Grading } from '../rules/lti-message.ts'

const kinds = {
  unbound: Kind.UNBOUND,
  refused: Kind.REFUSED,
  play: Kind.PLAY,
  guest: Kind.GUEST,
  teach: Kind.TEACH,
  pick: Kind.PICK,
  nothing: Kind.NOTHING,
} as const
const outcomes = byName(Outcome)
const gradings: Readonly<Record<LtiGrading, Grading>> = {
  [LtiGrading.UNSPECIFIED]: 'best',
  [LtiGrading.FIRST]: 'first',
  [LtiGrading.BEST]: 'best',
  [LtiGrading.LAST]: 'last',
}

const gradeStates = {
  none: GradeState.NONE,
  waits: GradeState.WAITS,
  sent: GradeState.SENT,
  refused: GradeState.REFUSED,
  'not-taken': GradeState.NOT_TAKEN,
} as const

/** What a call without a platform says of one. */
const none = create(LtiPlatformSchema)

/** Learning platforms of schools: LTI 1.3. */
export const ltiService = service(LtiService, {
  listPlatforms: method({ right: 'observer', audit: reads }, async ({ store, ...core }, _request, context) => {
    const { studio, studioId } = await developer(core, context)
    return { platforms: await store.ltiPlatforms.list(studio), schoolId: studioId }
  }),
  addPlatform: method(
    {
      right: 'owner',
      audit: {
        action: 'lti.add-platform',
        details: ({ platform }, done) => ({ platform: done?.platformId, host: hostOf(platform?.loginUrl, done) }),
      },
    },
    async (core, { platform = none }, context) => addPlatform(core, await developer(core, context), platform),
  ),
  changePlatform: method(
    {
      right: 'owner',
      audit: {
        action: 'lti.change-platform',
        details: ({ platform }, done) => ({
          platform: done && platform?.platformId,
          host: hostOf(platform?.loginUrl, done),
        }),
      },
    },
    async (core, { platform = none }, context) => changePlatform(core, await developer(core, context), platform),
  ),
  removePlatform: method(
    {
      right: 'owner',
      audit: {
        action: 'lti.remove-platform',
        details: ({ platformId }, done) => ({ platform: done && platformId }),
      },
    },
    byDeveloper(removePlatform),
  ),
  startRegistration: method({ right: 'owner', audit: 'lti.start-registration' }, async (core, _request, context) =>
    startRegistration(core, await developer(core, context)),
  ),
  registerPlatform: method(
    {
      right: 'public',
      audit: {
        action: 'lti.register-platform',
        details: ({ openidConfiguration }, done) => ({ host: hostOf(openidConfiguration, done) }),
      },
    },
    registerPlatform,
  ),
  listLtiRefusals: method({ right: 'teacher', audit: reads }, async (core, _request, context) => ({
    refusals: await core.store.ltiPlatforms.refusals((await developer(core, context)).studio),
  })),
  testPlatform: method(
    {
      right: 'owner',
      audit: { action: 'lti.test-platform', details: ({ platformId }, done) => ({ platform: done && platformId }) },
    },
    byDeveloper(testPlatform),
  ),
  getLtiCourse: method({ right: 'teacher', audit: reads }, byDeveloper(ltiCourse)),
  takeLtiMembers: method(
    {
      right: 'teacher',
      audit: {
        action: 'lti.take-members',
        details: ({ classId }, taken) => ({ class: taken && classId, joins: taken?.joins, leavers: taken?.leaves }),
        isRefused: ({ outcome }) => outcome !== Outcome.TAKEN,
      },
    },
    async (core, request, context) => {
      const { outcome, ...taken } = await takeLtiMembers(core, await developer(core, context), request)
      return { ...taken, outcome: outcomes[outcome] }
    },
  ),
  getLtiKeys: method({ right: 'public', audit: reads }, ltiKeys),
  rotateLtiKeys: method(
    { right: 'none', audit: { action: 'lti.rotate-keys', details: (_, done) => ({ key: done?.keyId }) } },
    rotateKeys,
  ),
  startLtiLogin: method({ right: 'public', audit: session }, startLogin),
  launchLti: method({ right: 'public', audit: session }, async (core, request) => {
    const { kind, ...launched } = await launch(core, request)
    return { ...launched, kind: kinds[kind] }
  }),
  getLtiFrame: method({ right: 'public', audit: reads }, async ({ store }, { launchId }) => {
    const found = await store.ltiLaunches.frame(launchId)
    if (!found) throw new Refusal('not-found', 'The launch has ended: open it in your course again.')
    return { origins: found.origins, gameSlug: found.game }
  }),
  startLtiPlay: method({ right: 'public', audit: session }, async (core, request) => {
    const { launch: started, gameSlug } = await startLtiPlay(core, request)
    return { launch: messageOf(started), gameSlug }
  }),
  listLtiLevels: method({ right: 'public', audit: reads }, async (core, { token, gameSlug }) => {
    await picking(core, token)
    const game = await core.store.ltiLaunches.game(gameSlug)
    if (!game) throw noGame()
    return { levels: await levelsToPick(core.store, game) }
  }),
  pickLtiLink: method({ right: 'public', audit: session }, async (core, request) =>
    pickLtiLink(core, { ...request, grading: gradings[request.grading] }),
  ),
  listLtiGrades: method({ right: 'teacher', audit: reads }, async (core, { classId }, context) => ({
    grades: (await listGrades(core, await developer(core, context), classId)).map(
      ({ gradeId, pupilName, link, wanted, sentAt, problem, state }) => {
        return {
          gradeId,
          pupilName,
          link,
          score: wanted ?? undefined,
          sent: sentAt,
          problem,
          state: gradeStates[state],
        }
      },
    ),
  })),
  sendLtiGrade: method(
    {
      right: 'teacher',
      audit: {
        action: 'lti.send-grade',
        details: ({ classId, gradeId }, done) => ({ class: classId, grade: done && gradeId }),
      },
    },
    byDeveloper(sendGrade),
  ),
})
