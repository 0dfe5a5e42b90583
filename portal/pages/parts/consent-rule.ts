import type { ConsentRule } from '../../../gen/lrs/v1/parent_consents_pb.js'
import type { Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { moment } from './amount.ts'

/** Who agrees for the pupils of a school, and who set it. */
export const ruleLine = ({ say }: Pick<Visit, 'say'>, { parents, changed, changedBy }: ConsentRule): Html =>
  say('school.agreeNow', {
    parents: parents ? 'yes' : 'no',
    by: changed === 0n ? 'nobody' : changedBy === '' ? 'gone' : 'account',
    name: changedBy,
    when: moment(changed, 'minute', say.language),
  })
