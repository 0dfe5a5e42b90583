import { fairQueue } from '../../process/concurrency/fair-queue.ts'
import { Refusal } from '../../process/refusal.ts'
import { networkShown } from '../../process/rules/network.ts'
import { unknownKeys as limits } from '../../../shared/limits.ts'

/** Look-ups at a time: of all networks, and of one. The database has many more connections. */
const atOnce = { ofAll: 4, ofOne: 2 }
const mostWaiting = { ofAll: 400, ofOne: 100 }
const maxWait = 2_000
/** Networks that are counted. */
const networks = 10_000
const refusal = 'Too many unknown credentials come from this network; try again, and wait longer after each attempt.'

/**
 * Looks up credentials that core does not know. Each takes a query, and anybody can invent one. So each network (an
 * IPv4 address or an IPv6 /64) has a rate, which only wrong ones use up, and look-ups have a small queue of their own.
 * Known callers, and launch tokens with a valid signature, do not come here.
 * @param factor multiplies the rate; 0: none
 */
export function unknownKeys(factor: number, now: () => number = () => performance.now()) {
  const interval = 1000 / (limits.perSecond * factor)
  const queue = fairQueue({
    concurrency: atOnce.ofAll,
    concurrencyOfOne: atOnce.ofOne,
    maxWaiting: mostWaiting.ofAll,
    maxWaitingOfOne: mostWaiting.ofOne,
    maxWait,
    refusal,
  })
  /** By network: the time from which on its full burst is free again. The network that was seen last comes last. */
  const paid = new Map<string, number>()
  /** Look-ups under way: calls that bring the same key at once share one. */
  const underWay = new Map<string, Promise<unknown>>()

  /** @throws Refusal 'unavailable', since the key may be right */
  function charge(network: string): void {
    const until = Math.max(paid.get(network) ?? 0, now()) + interval
    if (until - now() > limits.burst * factor * interval) throw new Refusal('unavailable', refusal)
    paid.delete(network)
    paid.set(network, until)
    if (paid.size > networks) paid.delete(paid.keys().next().value!)
  }

  async function lookOnce<T>(address: string, find: () => Promise<T | undefined>): Promise<T | undefined> {
    const network = networkShown(address)
    if (factor > 0) charge(network)
    const found = await queue.run(network, find)
    if (found !== undefined && paid.has(network)) paid.set(network, paid.get(network)! - interval)
    return found
  }

  return {
    /**
     * Looks one up. It is not counted if that finds something.
     * @param address of the caller; undefined: a gateway says that core has accepted this caller before
     * @param credential key and secret
     * @throws Refusal 'unavailable'
     */
    async look<T>(
      address: string | undefined,
      credential: string,
      find: () => Promise<T | undefined>,
    ): Promise<T | undefined> {
      if (address === undefined) return find()
      const shared = underWay.get(credential) as Promise<T | undefined> | undefined
      if (shared) return shared
      const own = lookOnce(address, find).finally(() => underWay.delete(credential))
      underWay.set(credential, own)
      return own
    },
  }
}
