import { AssistantService, AssistantTool } from '../../../gen/lrs/v1/assistants_pb.js'
import { reads } from '../../process/methods/audit-entries.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { person, studioOf } from '../../process/methods/developer.ts'
import { pseudonymKey } from '../command/pseudonym-key.ts'
import { helpNeeded } from '../query/help-needed.ts'

/** What the tools of assistants need beside the charts. */
export const assistantService = service(AssistantService, {
  beginCall: method(
    {
      right: 'analyst',
      token: 'read',
      audit: {
        action: 'assistant.call',
        details: ({ tool, gameId }, done) => ({
          tool: AssistantTool[tool]?.toLowerCase(),
          game: done && (gameId || undefined),
        }),
      },
    },
    async (core, _request, context) => {
      const { accountId } = await person(core, context)
      await core.store.portalLimits.require('assistant', accountId)
    },
  ),
  listHelpNeeded: method({ right: 'analyst', token: 'read', audit: reads }, async (core, { gameId }, context) =>
    helpNeeded(core, await studioOf(core, context), gameId, (id) => pseudonymKey(core, id)),
  ),
})
