import { expect, test } from 'vitest'
import { pino } from 'pino'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { failure, portalConfig, stubCore } from '../../../test/support/stub-core.ts'
import { createPortal } from '../../app.ts'

test('a learner whose link is no longer good is not asked to sign in or to sign up', async () => {
  const portal = await createPortal(portalConfig(), {
    core: stubCore({
      launches: {
        getInvitation: () => {
          throw failure(Reason.NOT_FOUND, 'This invitation has ended.')
        },
      },
    }),
    log: pino({ level: 'silent' }),
  })
  const read = async (path: string) => (await fetch(`http://127.0.0.1:${portal.port}${path}`)).text()
  const text = await read('/i/AAAA-BBBB-CCCC-DDDD')
  expect(text).toContain('There is nothing here, or it has ended.')
  expect(text).not.toMatch(/\/sign-(in|up)/)
  expect(await read('/elsewhere/AAAA')).toContain('/sign-in')
  await portal.close()
})
