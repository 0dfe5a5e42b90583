import { SchoolService } from '../../../gen/lrs/v1/schools_pb.js'
import { reads } from '../../process/methods/audit-entries.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { byDeveloper, developer } from '../../process/methods/developer.ts'
import {
  addPupils,
  changePupil,
  createSchoolClass,
  removePupil,
  removeSchoolClass,
  renewCards,
  takeOverClass,
} from '../command/school-classes.ts'
import { getSchoolClass } from '../query/school-classes.ts'

/** What the audit log keeps of a change: never the name of a pupil. */
const ofClass = (action: string) => ({
  action,
  details: ({ classId }: { classId: string }) => ({ class: classId }),
})

const erasing = (action: string) => ({
  action,
  details: ({ classId, erase }: { classId: string; erase: boolean }) => ({ class: classId, erase: String(erase) }),
})

/** Classes of schools and their pupils. */
export const schoolService = service(SchoolService, {
  listSchoolClasses: method({ right: 'observer', audit: reads }, async (core, _request, context) => ({
    classes: await core.store.schoolClasses.list((await developer(core, context)).studio),
  })),
  createSchoolClass: method(
    {
      right: 'teacher',
      audit: {
        action: 'school.create-class',
        details: ({ pupilNames }, made) => ({ class: made?.classId, learners: pupilNames.length }),
      },
    },
    byDeveloper(createSchoolClass),
  ),
  getSchoolClass: method({ right: 'observer', audit: reads }, async (core, { classId }, context) => {
    const { of, pupils } = await getSchoolClass(core.store, await developer(core, context), classId)
    return { class: of, pupils }
  }),
  addPupils: method(
    {
      right: 'teacher',
      audit: {
        action: 'school.add-pupils',
        details: ({ classId, pupilNames }) => ({ class: classId, learners: pupilNames.length }),
      },
    },
    byDeveloper(addPupils),
  ),
  changePupil: method({ right: 'teacher', audit: ofClass('school.change-pupil') }, byDeveloper(changePupil)),
  removePupil: method({ right: 'teacher', audit: erasing('school.remove-pupil') }, byDeveloper(removePupil)),
  renewCards: method({ right: 'teacher', audit: ofClass('school.renew-cards') }, byDeveloper(renewCards)),
  takeOverClass: method(
    { right: 'teacher', audit: { action: 'school.take-class', details: (_, made) => ({ class: made?.classId }) } },
    byDeveloper(takeOverClass),
  ),
  removeSchoolClass: method(
    { right: 'teacher', audit: erasing('school.remove-class') },
    byDeveloper(removeSchoolClass),
  ),
})
