import { QuotaService } from '../../../gen/lrs/v1/quotas_pb.js'
import { setGameQuota, setQuota } from '../command/set-quota.ts'
import { listLimits } from '../query/limits.ts'
import { usageOf, usageOfStudio } from '../access/usage.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, studio, ofGame, limitOf } from '../../process/methods/audit-entries.ts'
import { developer } from '../../process/methods/developer.ts'

/** Limits for everybody, usage for studios, quotas of one studio for admins. */
export const quotaService = service(QuotaService, {
  listLimits: method({ who: ['anybody'], right: 'public', audit: reads }, async (core) => ({
    limits: listLimits(core.config),
  })),
  getUsage: method({ right: 'analyst', token: 'read', audit: reads }, async (core, _request, context) => ({
    usage: await usageOf(core.store, await developer(core, context)),
  })),
  getStudioUsage: method({ right: 'admin', audit: reads }, ({ store }, { studio }) => usageOfStudio(store, studio)),
  setGameQuota: method(
    { right: 'none', audit: { ...ofGame('game.set-quota'), details: ({ limit }) => ({ limit: limitOf(limit) }) } },
    async (core, { gameId, limit }) => setGameQuota(core, gameId, limit),
  ),
  setQuota: method(
    {
      right: 'admin',
      audit: {
        action: 'studio.set-quota',
        subject: studio,
        details: ({ name, limit }) => ({ quota: name, limit: limitOf(limit) }),
      },
    },
    async ({ store }, { studio, name, limit }) => ({ limit: await setQuota(store, studio, name, limit) }),
  ),
})
