import { confirmed } from '../confirm.ts'
import type { Work } from '../session.ts'

export const shareNames: Work<{ yes?: true }> = async (session, _args, options) => {
  await confirmed(
    session,
    options,
    'Allow LRS_TENANCY=shared? Every game could then see which learners the other games know, and their names.',
  )
  await (await session.connect()).admin.shareNames({})
  return { json: {}, text: 'Cores can start with LRS_TENANCY=shared now. Running cores do not change.' }
}
