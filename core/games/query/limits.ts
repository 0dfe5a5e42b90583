import type { Limit } from '../../../gen/lrs/v1/quotas_pb.js'
import type { Fields } from '../../process/methods/answer.ts'
import type { Config } from '../../process/config/config.ts'
import {
  allowances,
  buckets,
  embedding,
  forwards,
  furtherLimits,
  gameBytes,
  inBytes,
  portalLimits,
  quotas,
  sentBytes,
  sizes,
  unknownKeys,
  unlimited,
  webhooks,
  windowSeconds,
} from '../../../shared/limits.ts'

export type ShownLimit = Fields<Limit>

/** Every limit in words, from the table that enforces them and the settings that change it. */
export function listLimits({
  rateLimitFactor: factor,
  attachmentsMaxBytes,
}: Pick<Config, 'rateLimitFactor' | 'attachmentsMaxBytes'>): ShownLimit[] {
  const requests = Object.entries({ ...buckets, ...allowances }).map(
    ([anchor, { subject, limit, keyedBy, notes }]) => ({
      group: 'LRS request limits',
      subject,
      keyedBy,
      notes,
      anchor,
      limit:
        factor === 0 ? 'none' : `${limit * factor} per ${windowSeconds === 60 ? 'minute' : `${windowSeconds} seconds`}`,
    }),
  )
  const free = unlimited.map((subject) => ({
    group: 'LRS request limits',
    subject,
    limit: 'none',
    keyedBy: 'none',
    anchor: '',
    notes: subject.endsWith('statements')
      ? `Parameter limit: at most ${sizes.pageMaximum}, default ${sizes.pageDefault}`
      : '',
  }))
  const bounds = [
    { subject: 'Statements per request', limit: String(sizes.statementsPerRequest) },
    { subject: 'Body of a statements request', limit: inBytes(sizes.statementsBody) },
    { subject: 'A statements request with attachments, as a whole', limit: inBytes(attachmentsMaxBytes) },
    { subject: 'A state, activity profile or agent profile document', limit: inBytes(sizes.document) },
  ].map((bound) => ({ group: 'LRS request sizes', keyedBy: '', notes: '', anchor: '', ...bound }))
  const sent = {
    group: 'Further limits',
    subject: 'Attachments and documents of one launch token',
    keyedBy: 'launch token',
    anchor: 'sentBytes',
    limit: factor === 0 ? 'none' : `${inBytes(Math.max(attachmentsMaxBytes, sentBytes.session * factor))} per minute`,
    notes:
      factor === 0
        ? ''
        : [
            `All tokens of a game together: ${inBytes(sentBytes.game * factor)};`,
            `the first ${inBytes(sentBytes.share * factor)} of each do not count,`,
            `up to ${inBytes(sentBytes.network * factor)} for one network`,
          ].join(' '),
  }
  const ofGame = {
    group: 'Further limits',
    subject: gameBytes.subject,
    keyedBy: 'game',
    anchor: 'gameBytes',
    limit: 'none, unless an admin sets one',
    notes: 'Beyond it, requests that store are 507; keep their data and send it again later',
  }
  const strangers = {
    group: 'Further limits',
    subject: 'Wrong keys and secrets',
    keyedBy: 'sender',
    anchor: 'unknownKeys',
    limit: factor === 0 ? 'none' : `${unknownKeys.perSecond * factor} per second`,
    notes: factor === 0 ? '' : `${unknownKeys.burst * factor} at once. Beyond it the answer is 503`,
  }
  const connections = [
    {
      subject: 'Forwards of a game',
      anchor: 'forwards',
      limit: String(forwards.ofGame),
      notes: `Beyond ${forwards.setAside.toLocaleString('en')} statements that are set aside, a forward waits`,
    },
    {
      subject: 'Webhooks of a game',
      anchor: 'webhooks',
      limit: String(webhooks.ofGame),
      notes: `Deliveries are kept for ${webhooks.keptDays} days, ${webhooks.kept.toLocaleString('en')} of a webhook at most`,
    },
    {
      subject: 'Sites that may show a game in a frame',
      anchor: 'embedding',
      limit: String(embedding.origins),
      notes: '',
    },
  ].map((one) => ({ group: 'Further limits', keyedBy: 'game', ...one }))
  const counted = (group: string, table: typeof portalLimits | typeof furtherLimits) =>
    Object.entries(table).map(([anchor, { subject, limit, per, keyedBy, notes }]) => ({
      group,
      subject,
      limit: `${limit} per ${per}`,
      keyedBy,
      notes,
      anchor,
    }))
  const held = Object.entries(quotas).map(([anchor, quota]) => ({
    group: 'Storage and game quotas',
    subject: quota.subject,
    keyedBy: '',
    anchor,
    limit: inUnit(quota.limit, quota.unit),
    notes: 'each' in quota ? `Each at most ${inBytes(quota.each)}` : 'notes' in quota ? quota.notes : '',
  }))
  return [
    ...requests,
    ...free,
    ...bounds,
    ...counted('Developer portal limits', portalLimits),
    ...held,
    sent,
    strangers,
    ofGame,
    ...connections,
    ...counted('Further limits', furtherLimits),
  ]
}

function inUnit(value: number, unit: string): string {
  if (unit === 'bytes') return inBytes(value)
  return unit === 'ratio' ? `${value}:1` : value.toLocaleString('en')
}
