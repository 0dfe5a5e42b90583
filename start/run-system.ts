import { unknownSettings } from '../shared/settings/unknown-settings.ts'
import { greeting, greetingOfGames } from './greeting.ts'
import type { Scripts } from './parts.ts'
import { readConfig } from './config.ts'
import { readOrExit } from '../shared/settings/read-or-exit.ts'
import { startSystem } from './system.ts'

/** `npm start`: runs everything until Ctrl-C or SIGTERM. Exit codes: 0 then, 2 for a wrong setting, 1 for a failure. */
export async function runSystem(scripts: Scripts): Promise<void> {
  for (const line of unknownSettings(process.env)) process.stderr.write(`${line}\n`)
  const { env, config } = readOrExit((env) => ({ env, config: readConfig(env) }))
  let isUp = false
  // the reader of the output may end first
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  const say = (part: string, line: string): void => {
    const time = isUp ? new Date().toTimeString().slice(0, 8) : ' '
    process.stdout.write(`${time} ${part.padEnd(9)} ${line}\n`)
  }
  process.stdout.write(`Games LRS on Node ${process.versions.node}, data in ${config.dataDir}\n`)
  const system = startSystem({ config, env, scripts, say })
  let leaving = false
  let code = 0
  onSignals(
    () => {
      leaving = true
      process.stdout.write('\nStopping: gateway, portal and player, core, Postgres …\n')
      void system.stop().then(() => process.exit(code))
    },
    () => {
      code = 130
      system.kill()
      setTimeout(() => process.exit(code), 500)
    },
  )
  try {
    const { demo, isNew, refused, shown } = await system.ready
    if (leaving) return
    isUp = true
    process.stdout.write(refused ? greetingOfGames(config) : greeting(config, demo, isNew))
    if (isNew) shown()
  } catch (error) {
    if (leaving) return
    process.stderr.write(`${(error as Error).message}\n`)
    await system.stop()
    process.exit(1)
  }
}

/** Ctrl-C reaches a process under npm twice: from the terminal and from npm. */
const sameMs = 500

/** Calls `stop` at the first SIGINT, SIGTERM or SIGHUP, and `atOnce` at a further SIGINT that is not an echo of it. */
function onSignals(stop: () => void, atOnce: () => void): void {
  let first: number | undefined
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (first === undefined) {
        first = performance.now()
        stop()
      } else if (signal === 'SIGINT' && performance.now() - first > sameMs) {
        atOnce()
      }
    })
  }
}
