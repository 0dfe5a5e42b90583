interface Owner {
  held: number
  /** Milliseconds in slots, of which half are forgotten in each half-life; as of `at`. */
  used: number
  at: number
}

export interface FairSharesOptions {
  readonly atOnce: number
  /** Most slots of one owner, and of one host. */
  readonly ofOne: number
  readonly ofHost: number
  readonly now?: () => number
}

const halfLifeMs = 5 * 60_000
/** An owner who has used more leaves the last quarter of the slots to others. */
const lightMs = 60_000
const unnoticedMs = 1_000

/**
 * Slots that owners share, for work that may be slow. The fewer slots are free, the fewer one owner gets. The last
 * quarter is for owners who have used little, one slot each. So owners with silent targets leave slots for the others.
 */
export function fairShares({ atOnce, ofOne, ofHost, now = () => performance.now() }: FairSharesOptions) {
  const owners = new Map<string, Owner>()
  const hosts = new Map<string, number>()
  let free = atOnce

  function upToNow(owner: Owner): Owner {
    const past = now() - owner.at
    owner.used = owner.used * 0.5 ** (past / halfLifeMs) + owner.held * past
    owner.at += past
    return owner
  }

  function ownerOf(name: string): Owner {
    const owner = owners.get(name) ?? { held: 0, used: 0, at: now() }
    owners.set(name, owner)
    return upToNow(owner)
  }

  return {
    /** Whether no slot is free. */
    isFull: (): boolean => free === 0,
    /** Takes a slot. Returns the function that releases it. */
    take(name: string, host: string): () => void {
      ownerOf(name).held++
      hosts.set(host, (hosts.get(host) ?? 0) + 1)
      free--
      return () => {
        ownerOf(name).held--
        const left = hosts.get(host)! - 1
        if (left === 0) hosts.delete(host)
        else hosts.set(host, left)
        free++
      }
    },
    /** Owners and hosts that get no slot now, and what owners have used: who has used the least comes next. */
    now(): { busy: string[]; used: Map<string, number> } {
      const share = Math.ceil(ofOne * (free / atOnce) ** 2)
      const isScarce = free <= atOnce / 4
      const busy = [...hosts].filter(([, held]) => held >= ofHost).map(([host]) => host)
      const used = new Map<string, number>()
      for (const [name, owner] of owners) {
        upToNow(owner)
        if (owner.held >= share || (isScarce && owner.used > lightMs)) busy.push(name)
        if (owner.used >= unnoticedMs) used.set(name, owner.used)
        else if (owner.held === 0) owners.delete(name)
      }
      return { busy, used }
    },
  }
}
