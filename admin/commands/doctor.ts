import { ConnectError } from '@connectrpc/connect'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Severity } from '../../gen/lrs/v1/admin_pb.js'
import { answers } from '../../start/ports.ts'
import { SettingError } from '../../shared/settings/kinds.ts'
import { dataFolder, isHere, type Config } from '../config.ts'
import { Failed } from '../failed.ts'
import { isAway, lineOf } from '../failure.ts'
import { profilesFile } from '../profiles.ts'
import type { Work } from '../command.ts'
import type { Session } from '../session.ts'
import { amount, list } from '../show.ts'

interface Finding {
  readonly name: string
  readonly severity: 'ok' | 'warning' | 'error'
  readonly message: string
  readonly advice: string
}

const severities = {
  [Severity.UNSPECIFIED]: 'ok',
  [Severity.OK]: 'ok',
  [Severity.WARNING]: 'warning',
  [Severity.ERROR]: 'error',
} as const

/** What can be seen from here, then what core finds about itself. */
export const examine: Work<object> = async (session) => {
  const findings = [...filesHere(session), ...(await core(session))]
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.filter(({ severity }) => severity === 'warning').length
  const shown = { findings: findings.map((finding) => ({ ...finding })), errors, warnings }
  const lines = findings.map(
    ({ name, severity, message, advice }) =>
      [severity, `${name}: ${message}${advice === '' ? '' : `\n→ ${advice}`}`] as const,
  )
  await session.write(`${session.json ? JSON.stringify(shown, null, 2) : list(lines)}\n`)
  if (errors > 0) throw new Failed(`${errors} of ${amount(findings.length, 'check')} failed.`)
  session.note(
    warnings > 0
      ? `It works, with ${amount(warnings, 'warning')} in ${amount(findings.length, 'check')}.`
      : `All ${findings.length} checks passed.`,
  )
}

async function core(session: Session): Promise<Finding[]> {
  let config: Config | undefined
  try {
    const client = await session.connect()
    config = session.config()
    const url = config.coreUrl
    const { findings } = await client.admin.check({ now: BigInt(Date.now()) * 1000n })
    return [
      { name: 'core', severity: 'ok', message: `answers at ${url} and accepts the token`, advice: '' },
      ...wayTo(url),
      ...findings.map(({ name, severity, message, advice }) => ({
        name,
        severity: severities[severity] ?? 'error',
        message,
        advice,
      })),
    ]
  } catch (error) {
    if (error instanceof SettingError)
      return [
        {
          name: 'settings',
          severity: 'error',
          message: error.message,
          advice: 'Run "npm start" here, or "profile add" for a core elsewhere.',
        },
      ]
    if (!(error instanceof ConnectError)) throw error
    return [
      {
        name: 'core',
        severity: 'error',
        message: `does not serve: ${lineOf(error, config)}`,
        advice: isAway(error)
          ? await whyAway(session, config!.coreUrl)
          : 'Compare the token with LRS_SERVICE_TOKENS of core, and the address with its CORE_PORT.',
      },
    ]
  }
}

function wayTo(url: string): Finding[] {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || isHere(url)
    ? []
    : [
        {
          name: 'way',
          severity: 'warning',
          message: `the token and all responses travel to ${hostname} without encryption`,
          advice: 'Use https:// or a tunnel, unless you own the network in between.',
        },
      ]
}

async function whyAway(session: Session, url: string): Promise<string> {
  const { protocol, hostname, port } = new URL(url)
  const listens = await answers(Number(port || (protocol === 'https:' ? 443 : 80)), hostname.replace(/^\[|\]$/g, ''))
  if (listens) return 'A program listens there: read its log. It may be another program, or it may still be starting.'
  const data = dataFolder(session.env)
  if (session.config().isOwn)
    return existsSync(data)
      ? `Nothing listens there: run "npm start", and see ${join(data, 'logs', 'core.log')} if it ends.`
      : 'Nothing listens there: run "npm start".'
  return 'Nothing listens there, or a firewall is in between: start core, or correct the address.'
}

/** Secrets that others may read. */
function filesHere({ env }: Session): Finding[] {
  const files = [profilesFile(env), join(dataFolder(env), 'secrets.json')].filter((file) => existsSync(file))
  return files.map((file) => {
    const isOpen = (statSync(file).mode & 0o077) !== 0
    if (!isOpen) return { name: file, severity: 'ok', message: 'is readable by its owner only', advice: '' }
    return {
      name: file,
      severity: 'warning',
      message: 'contains secrets that other users of this machine can read',
      advice: `chmod 600 ${file}`,
    }
  })
}
