import { confirmed } from '../confirm.ts'
import type { Work } from '../session.ts'

export const shareNames: Work<{ yes?: true }> = async (session, _args, options) => {
  await confirmed(
    session, options,
    'Tell every game who is known to the others, and by which names, once cores start with LRS_TENANCY=shared?',
  )
  await (await session.connect()).admin.shareNames({})
  return { json: {}, text: 'Cores may start with LRS_TENANCY=shared now. Those that run go on as they are.' }
}
