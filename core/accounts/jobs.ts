import { mails, notifications } from '../../shared/limits.ts'
import type { Core } from '../context.ts'
import { startLeasedWork } from '../process/jobs/leased-work.ts'
import { batch, hourMs, inBatches, startSweeps, type Running, type Sweep } from '../process/jobs/sweeps.ts'
import type { Learner } from '../records/access/learner.ts'
import type { UnderWay } from '../records/store/erasings.ts'
import { sweepEndings } from './command/endings.ts'
import { goOnErasing } from './command/erase-learner.ts'
import { sweepErasures } from './command/erasure-requests.ts'
import { weekOf } from '../analytics/query/week.ts'
import { daysOf } from '../analytics/rules/when.ts'
import { writeWeekly } from './command/weekly-mails.ts'
import type { LeasedWeekly } from './store/weekly-mails.ts'
import { startSending } from './notices/send-mails.ts'

const erasingMs = 10_000
const weeklyMs = 5_000
const headMs = 10 * 60_000

type Needs = Parameters<typeof startSending>[0] & Pick<Core, 'store' | 'config' | 'notices' | 'audit' | 'jobs' | 'log'>

function sweeps({ store, log, config, notices, audit }: Needs): readonly Sweep[] {
  let loggedHead = 0
  /** In the log, so that an operator can compare: to hide a change, the logs would have to be changed, too. */
  async function logHead(): Promise<void> {
    const { position, hash } = await store.audit.head()
    if (position !== loggedHead) log.info({ head: `${position}:${hash}` }, 'head of the audit log')
    loggedHead = position
  }

  return [
    ['erasures that learners asked for', hourMs, () => sweepErasures({ store, config, notices, log, audit })],
    ['deleted studios and accounts', hourMs, () => sweepEndings({ store, audit })],
    ['sessions of studios', hourMs, store.studioSessions.sweep],
    ['unfinished sign-ins', hourMs, store.signInAttempts.sweep],
    ['links in mails', hourMs, store.mailLinks.sweep],
    ['old mails', hourMs, inBatches(() => store.mails.sweep(mails.keptDays, batch))],
    ['notifications', hourMs, inBatches(() => store.notices.sweep(notifications.days, batch))],
    ['solved challenges', hourMs, store.studioMessages.sweep],
    ['personal tokens', hourMs, inBatches(() => store.personalTokens.sweep(batch))],
    ['audit log', hourMs, inBatches(() => store.audit.sweep(config.auditDays, batch))],
    ['head of the audit log', headMs, logHead],
    ['counts of the portal', hourMs, store.portalLimits.sweep],
  ]
}

/** Starts what runs beside the calls of this wing. @param mailMs between two looks for mails to send */
export function startAccountJobs(core: Needs, { mailMs = 1_000 }: { readonly mailMs?: number }): Running {
  const { store, config, jobs, log } = core
  const erasing = startLeasedWork<UnderWay<Learner>>(
    {
      name: 'interrupted erasures',
      ...store.erasings,
      deliver: (begun) => goOnErasing(store, config.authorityHome, begun),
    },
    { everyMs: erasingMs, jobs, log, atOnce: 1 },
  )
  const weekly = startLeasedWork<LeasedWeekly>(
    {
      name: 'weekly mails',
      ...store.weeklyMails,
      async deliver(mail) {
        const yesterday = daysOf(mail.zone)(Date.now()) - 1
        const games = []
        for (const game of mail.isWanted ? mail.games : [])
          games.push({ ...game, week: await weekOf(store, game.game, game.gameId, yesterday) })
        await writeWeekly(core, mail, games)
      },
    },
    { everyMs: weeklyMs, jobs, log, atOnce: 1 },
  )
  return {
    stopCalls: startSending(core, mailMs),
    stop: startSweeps(sweeps(core), core, erasing, weekly),
    flush: core.audit.close,
  }
}
