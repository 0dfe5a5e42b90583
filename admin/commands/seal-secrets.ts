import { SealSecretsResponseSchema } from '../../gen/lrs/v1/admin_pb.js'
import { Failed } from '../failed.ts'
import { jsonOf } from '../json-of.ts'
import type { Work } from '../session.ts'

export const sealSecrets: Work<object> = async (session) => {
  const found = await (await session.connect()).admin.sealSecrets({})
  const { sealed, kept, unreadable, unreadableCount } = found
  if (unreadableCount > 0) {
    throw new Failed(
      `Sealed with the first key: ${sealed}. No key opens ${unreadableCount} (${unreadable.slice(0, 3).join(', ')}` +
        `${unreadableCount > 3 ? ', …' : ''}): add their key to LRS_SECRET_KEYS of core, or have them set up again.`,
    )
  }
  const text = `Sealed with the first key now: ${sealed}. Sealed with it already: ${kept}.\nYou can remove the other keys.`
  return { json: jsonOf(SealSecretsResponseSchema, found), text }
}
