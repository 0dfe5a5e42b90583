import type { ServiceImpl } from '@connectrpc/connect'
import type { QuotaService } from '../../../gen/lrs/v1/quotas_pb.js'
import { setGameQuota, setQuota } from '../../command/games/set-quota.ts'
import type { Core } from '../../context.ts'
import { listLimits } from '../../query/limits.ts'
import { usageOf, usageOfStudio, type Usage } from '../../query/usage.ts'
import { developer } from './developer.ts'

/** Limits for everybody, usage for studios, quotas of one studio for admins. */
export function quotaService(core: Core): ServiceImpl<typeof QuotaService> {
  const { store } = core
  return {
    listLimits: async () => ({ limits: listLimits(core.config) }),
    getUsage: async (_request, context) => ({
      usage: (await usageOf(store, await developer(core, context))).map(usageMessage),
    }),
    async getStudioUsage({ studio: name }) {
      const { studioId, usage, changed } = await usageOfStudio(store, name)
      return {
        studioId,
        usage: usage.map(usageMessage),
        changed: changed.map(({ name, limit }) => ({ name, limit: BigInt(limit) })),
      }
    },
    async setGameQuota({ gameId, limit }) {
      await setGameQuota(core, gameId, limit)
      return {}
    },
    setQuota: async ({ studio, name, limit }) => ({ limit: BigInt(await setQuota(store, studio, name, limit)) }),
  }
}

const usageMessage = ({ used, limit, resets, ...of }: Usage) => ({
  ...of,
  used: BigInt(used),
  limit: BigInt(limit),
  resets: BigInt(resets),
})
