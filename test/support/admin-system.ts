import { endAll, temporaryFolder } from '../../start/fixtures/launch.ts'
import { run } from './admin.ts'
import { startSystem, tokens, type SystemOptions } from './system.ts'

/** A system to which a command line is connected. */
export async function startAdminSystem(options: SystemOptions = {}) {
  const system = await startSystem(options)
  let folder = ''
  const connected = () => ({
    LRS_CORE_URL: `http://127.0.0.1:${system.cores[0]!.port}`,
    LRS_SERVICE_TOKEN: tokens.admin,
  })
  return {
    system,
    /** The settings of a command line that reaches this system. */
    connected,
    /** Runs a command in the folder of the test. */
    admin: (...args: string[]) => run(args, { env: connected(), cwd: folder }),
    /** What the next test has of its own. */
    async next() {
      folder = temporaryFolder()
      return { game: await system.game(), folder }
    },
    async close() {
      endAll()
      await system.close()
    },
  }
}

export type AdminSystem = Awaited<ReturnType<typeof startAdminSystem>>
export type OwnOfTest = Awaited<ReturnType<AdminSystem['next']>>
