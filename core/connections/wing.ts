import { deliveries, exports, lti, mails, outgoing as calls } from '../../shared/limits.ts'
import type { Base } from '../base.ts'
import { outgoing, type Outgoing } from '../process/outgoing/outgoing.ts'
import { keySets, type KeySets } from './access/lti-keys.ts'
import { ltiTokens, type LtiTokens } from './access/lti-tokens.ts'
import { slots, type Slots } from '../process/concurrency/slots.ts'
import { exporting, type Exporting } from './export/exporting.ts'

/** What goes to other systems. */
export interface Connections {
  /** Calls to other systems. */
  readonly outgoing: Outgoing
  /** The same in another thread, for what is delivered beside calls. */
  readonly deliveries: Pick<Outgoing, 'guardedFetch' | 'close'>
  /** Keys of learning platforms. */
  readonly ltiKeySets: KeySets
  /** Calls to services of learning platforms. */
  readonly ltiTokens: LtiTokens
  /** Lists of learners that are read from platforms. */
  readonly ltiTakes: Slots
  /** Files of statements that are being made. */
  readonly exporting: Exporting
}

export function connectionParts({ config, log }: Base): Connections {
  const fault = (fault: string): void => log.warn({ fault }, 'a fault in the thread of outgoing calls')
  const to = { allowed: config.outgoingAllow, ownPorts: config.ownPorts, mailSeconds: mails.seconds }
  const called = outgoing({ ...to, seconds: calls.seconds }, fault)
  return {
    outgoing: called,
    ltiKeySets: keySets(called),
    ltiTokens: ltiTokens(),
    ltiTakes: slots({
      inAll: lti.takes,
      ofOne: 1,
      refusal: 'The pupils of another course are being taken; try again in a minute.',
    }),
    // a thread of its own, so that slow targets delay no mail and nobody who signs in
    deliveries: outgoing(
      {
        ...to,
        seconds: deliveries.seconds,
        sentBytes: deliveries.sentBytes,
        atOnce: deliveries.callsAtOnce,
        atOnceOfHost: deliveries.callsOfHost,
      },
      fault,
    ),
    exporting: exporting({ inAll: exports.atOnce, ofOne: exports.atOnceOfStudio }),
  }
}
