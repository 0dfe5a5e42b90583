import { setTimeout } from 'node:timers/promises'
import { Counter, Gauge } from 'prom-client'
import type { Core } from '../../context.ts'

/** Adds gauges of a core's present state to its metrics; they are read at each scrape. */
export function registerGauges(core: Core): void {
  const { store, ingest, limiter, observers, followers, pageFollowers } = core
  const { registry } = core.meters
  const gauge = (name: string, help: string, read: () => number | Promise<number>): void =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        async collect() {
          this.set(await read())
        },
      }),
    )
  let through = 0

  gauge('lrs_core_ingest_waiting_bytes', 'Bytes of statements that wait for a commit.', ingest.waitingBytes)
  registry.registerMetric(
    new Gauge({
      name: 'lrs_core_pool_connections',
      help: 'Database connections by state.',
      labelNames: ['state'],
      registers: [],
      collect() {
        const { used, free } = store.pool()
        this.set({ state: 'used' }, used)
        this.set({ state: 'free' }, free)
      },
    }),
  )
  gauge(
    'lrs_core_pool_connections_max',
    'Most database connections of this core.',
    () => core.config.databaseConnections,
  )
  gauge('lrs_core_pool_waiting', 'Calls that wait for a database connection.', () => store.pool().waiting)
  gauge(
    'lrs_core_watermark_lag_seconds',
    'Time from the watermark (up to which the order is complete) to this clock.',
    async () => {
      // when the database does not answer, the lag grows and the scrape does not wait
      through = await Promise.race([store.through().catch(() => through), setTimeout(1_000, through, { ref: false })])
      return through === 0 ? 0 : Math.max(0, Date.now() / 1000 - through / 1e6)
    },
  )
  if (core.config.readUrls.length > 0) {
    registry.registerMetric(
      new Gauge({
        name: 'lrs_core_standby_behind_seconds',
        help: 'Time by which a standby that answers reads is behind, 0: less than a second; -1: it is not asked.',
        labelNames: ['standby'],
        registers: [],
        collect() {
          for (const { name, fault, behind } of store.standbys())
            this.set({ standby: name }, fault && behind === 0 ? -1 : behind)
        },
      }),
    )
    registry.registerMetric(
      new Counter({
        name: 'lrs_core_reads_total',
        help:
          'Reads of statements by who answered: standby, primary (no standby could), changed (the primary, because ' +
          'what a standby had read did not hold there any more).',
        labelNames: ['answered'],
        registers: [],
        collect() {
          this.reset()
          for (const [answered, count] of Object.entries(store.readCounts())) this.inc({ answered }, count)
        },
      }),
    )
  }
  if (core.config.mail !== undefined) {
    let mails = 0
    gauge('lrs_core_mails_waiting', 'Mails that wait to be sent.', async () => {
      mails = await Promise.race([store.mails.waiting().catch(() => mails), setTimeout(1_000, mails, { ref: false })])
      return mails
    })
  }
  let webhooks = { pending: 0, failing: 0, off: 0 }
  const readWebhooks = async () =>
    (webhooks = await Promise.race([
      store.webhooks.states().catch(() => webhooks),
      setTimeout(1_000, webhooks, { ref: false }),
    ]))
  gauge('lrs_core_webhook_deliveries_pending', 'Deliveries to webhooks that are not made yet.', async () => {
    return (await readWebhooks()).pending
  })
  gauge('lrs_core_webhooks_failing', 'Webhooks whose last attempt failed.', async () => (await readWebhooks()).failing)
  gauge('lrs_core_webhooks_off', 'Webhooks that were turned off.', async () => (await readWebhooks()).off)
  const unknown = { paused: 0, failing: 0, running: 0, setAside: 0, lag: 0 }
  let forwards = unknown
  const lookAtForwards = async () =>
    (forwards = await Promise.race([
      store.forwards.states().catch(() => forwards),
      setTimeout(1_000, forwards, { ref: false }),
    ]))
  registry.registerMetric(
    new Gauge({
      name: 'lrs_core_forwards',
      help: 'Forwards of all games by state: running, failing, paused. Every core tells the same.',
      labelNames: ['state'],
      registers: [],
      async collect() {
        const { running, failing, paused } = await lookAtForwards()
        this.set({ state: 'running' }, running)
        this.set({ state: 'failing' }, failing)
        this.set({ state: 'paused' }, paused)
      },
    }),
  )
  gauge(
    'lrs_core_forward_lag_seconds',
    'Time by which the last forward that is not paused is behind.',
    async () => (await lookAtForwards()).lag,
  )
  gauge(
    'lrs_core_forward_set_aside',
    'Statements that targets of forwards did not take.',
    async () => (await lookAtForwards()).setAside,
  )
  gauge('lrs_core_limiter_windows', 'Open windows of the request limits.', () => limiter?.size ?? 0)
  gauge('lrs_core_observers', 'Viewers of sandbox sessions.', () => observers.count())
  gauge(
    'lrs_core_followers',
    'Followers of the store: services, and pages of the portal.',
    () => followers.count() + pageFollowers.count(),
  )
  const counter = (name: string, help: string, read: () => number): void =>
    registry.registerMetric(
      new Counter({
        name,
        help,
        registers: [],
        collect() {
          this.reset()
          this.inc(read())
        },
      }),
    )
  counter('lrs_core_reconnects_total', 'Database connections that broke.', () => store.pool().broken)
  counter(
    'lrs_core_unproven_total',
    'Calls that were refused because a database connection had lost its settings, such as its cell.',
    () => store.pool().unproven,
  )
}
