import { MemberRole } from '../../gen/lrs/v1/members_pb.js'
import {
  GetStorageResponseSchema,
  GetStudioResponseSchema,
  ListJobsResponseSchema,
  type Job,
} from '../../gen/lrs/v1/operator_pb.js'
import { amount, number } from '../amount.ts'
import { confirmed } from '../confirm.ts'
import type { CoreClient } from '../core-client.ts'
import { Failed } from '../failed.ts'
import { jsonOf } from '../json-of.ts'
import type { Work } from '../session.ts'
import { bytes, list, stateName, table, time } from '../show.ts'

const roleName = (role: MemberRole): string => MemberRole[role].toLowerCase()

export const showStudio: Work<object> = async (session, [studio]) => {
  const found = await (await session.connect()).operator.getStudio({ studio })
  const { name, slug, studioId, created, trusted, suspended, suspendedNote, members, bytes: stored } = found.studio!
  const text = list([
    ['name', name],
    ['slug', slug],
    ['id', studioId],
    ['since', time(created)],
    ['suspended', suspended > 0n ? [time(suspended), suspendedNote].filter((part) => part !== '').join('\n') : ''],
    ['trusted', trusted ? 'yes' : ''],
    ['members', members.map(({ email, role }) => `${email} (${roleName(role)})`).join('\n')],
    ['storage', `${bytes(stored)} of builds, images and documents`],
    ['games', found.games.map(({ slug, state }) => `${slug} (${stateName(state)})`).join('\n') || 'none'],
  ])
  return { json: jsonOf(GetStudioResponseSchema, found), text }
}

export const suspendStudio: Work<{ note?: string; yes?: true }> = async (session, [studio], { note = '', yes }) => {
  const { operator } = await session.connect()
  await operator.getStudio({ studio })
  await confirmed(session, { yes }, `Stop all work of ${studio} and refuse the credentials of its games?`)
  await operator.suspendStudio({ studio, suspended: true, note })
  return {
    json: { studio: studio!, suspended: true },
    text: `Suspended: ${studio}. Its data stays; "studios resume" brings all back.`,
  }
}

export const resumeStudio: Work<object> = async (session, [studio]) => {
  await (await session.connect()).operator.suspendStudio({ studio, suspended: false })
  return { json: { studio: studio!, suspended: false }, text: `The suspension of ${studio} is lifted.` }
}

export const setAdmin: Work<{ off?: true }> = async (session, [email], { off }) => {
  const admin = !off
  await (await session.connect()).operator.setAdmin({ email, admin })
  return {
    json: { email: email!, admin },
    text: `${email} ${admin ? 'can use the pages of operators now.' : 'can no longer use the pages of operators.'}`,
  }
}

export const suspendAccount: Work<{ yes?: true }> = async (session, [named], { yes }) => {
  const core = await session.connect()
  const accountId = await accountIdOf(core, named!)
  await confirmed(session, { yes }, `End the sessions of ${named} and let nobody sign in to it?`)
  await core.operator.suspendAccount({ accountId, suspended: true })
  return { json: { accountId, suspended: true }, text: `Suspended: ${named}.` }
}

export const resumeAccount: Work<object> = async (session, [named]) => {
  const core = await session.connect()
  const accountId = await accountIdOf(core, named!)
  await core.operator.suspendAccount({ accountId, suspended: false })
  return { json: { accountId, suspended: false }, text: `The suspension of ${named} is lifted.` }
}

export const endSessions: Work<object> = async (session, [named]) => {
  const core = await session.connect()
  const accountId = await accountIdOf(core, named!)
  const { sessions } = await core.operator.endAccountSessions({ accountId })
  return { json: { accountId, sessions }, text: `Ended ${amount(sessions, 'session')} of ${named}.` }
}

/** @throws Failed */
async function accountIdOf({ operator }: CoreClient, named: string): Promise<string> {
  const { accounts } = await operator.findAccounts({ find: named })
  const account = accounts.find(({ email, accountId }) => [email, accountId].includes(named.toLowerCase()))
  if (!account) throw new Failed(`There is no account ${JSON.stringify(named)}: "accounts list" shows them.`)
  return account.accountId
}

export const showStorage: Work<object> = async (session) => {
  const found = await (await session.connect()).operator.getStorage({})
  const { builds, files, uploads, garbage, garbageDue, biggest } = found
  const head = list([
    ['builds', `${bytes(builds!.bytes)} in ${number(builds!.count)}`],
    ['images and documents', `${bytes(files!.bytes)} in ${number(files!.count)}`],
    ['uploads under way', `${bytes(uploads!.bytes)} in ${number(uploads!.count)}`],
    ['to be removed', `${number(garbage)}, of which ${number(garbageDue)} are due`],
  ])
  const rows = biggest.map((game) => [game.name, game.studioName, bytes(game.builds), bytes(game.files), game.gameId])
  const largest = table(['largest games', 'studio', 'builds', 'images, documents', 'id'], rows, 'No game has a build.')
  return { json: jsonOf(GetStorageResponseSchema, found), text: `${head}\n\n${largest}` }
}

export const listJobs: Work<object> = async (session) => {
  const found = await (await session.connect()).operator.listJobs({})
  const outcome = ({ running, runs, problem }: Job) =>
    running > 0 ? 'running' : runs === 0n ? 'not yet' : problem === '' ? 'done' : `failed: ${problem}`
  const rows = found.jobs.map((job) => [
    job.name,
    job.everySeconds > 0 ? `${number(job.everySeconds)} s` : '',
    outcome(job),
    time(job.began),
    job.runs > 0n ? `${number(job.tookMs)} ms` : '',
    number(job.runs),
    number(job.failures),
  ])
  const columns = ['job', 'every', 'is', 'last began (UTC)', 'took', 'runs', 'failed']
  return {
    json: jsonOf(ListJobsResponseSchema, found),
    text: `Core: ${found.core}\n\n${table(columns, rows, 'Nothing has run yet.')}`,
  }
}
