import { command } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { eraseLearner } from './erase-learner.ts'
import { exportLearner } from './export-learner.ts'
import { findLearners, listLearners } from './find-learners.ts'

export const commands = {
  find: findLearners,
  list: listLearners,
  export: exportLearner,
  erase: eraseLearner,
  'share-names': command({
    about: 'allow LRS_TENANCY=shared on a store that ran with LRS_TENANCY=isolated',
    options: { '--yes': 'do not ask' },
    examples: ['learners share-names'],
    async run({ admin }, { yes }, session) {
      const what = 'Every game could then see which learners the other games know, and their names.'
      await confirmed(session, yes, `Allow LRS_TENANCY=shared? ${what}`)
      await admin.shareNames({})
      return { json: {}, text: 'Cores can start with LRS_TENANCY=shared now. Running cores do not change.' }
    },
  }),
}
