import { lookup as lookUp } from 'node:dns/promises'
import { isIP } from 'node:net'

/** One address at which a core answers. */
export interface CoreAddress {
  /** Different for each address. */
  readonly id: string
  /** The URL of the settings that led to it. */
  readonly url: URL
  /** An IP address, IPv6 in brackets. */
  readonly host: string
}

export interface Addresses {
  /** Looks names up now, because a core was lost; at most once a second. */
  again(): void
  close(): void
}

/** How names are looked up. */
export interface Names {
  /** All addresses of a name. */
  readonly lookup: (name: string) => Promise<readonly string[]>
  /** Milliseconds between two look-ups of a name. */
  readonly everyMs: number
}

/** Milliseconds after a look-up that failed, and between two because a core was lost. */
const againMs = 1_000
/** Of one name: cores that a gateway connects to. */
const most = 64

/**
 * Calls `use` with the addresses of all cores, at once for URLs with an IP address, and whenever they change. Names are
 * looked up every 10 s, because a name may lead to several cores (a headless service of Kubernetes) that come and go.
 * While a name cannot be looked up its last addresses stay.
 */
export function watchAddresses(
  urls: readonly string[],
  use: (addresses: readonly CoreAddress[]) => void,
  look: Names = { lookup: addressesOf, everyMs: 10_000 },
): Addresses {
  const found = new Map<string, readonly string[]>()
  const parsed = [...new Set(urls)].map((url) => new URL(url))
  const names = new Set(parsed.map(({ hostname }) => hostname).filter((name) => isIP(bare(name)) === 0))
  for (const { hostname } of parsed) if (!names.has(hostname)) found.set(hostname, [hostname])
  const watched = [...names].map((name) => watch(name, look, (hosts) => (found.set(name, hosts), tell())))
  tell()

  function tell(): void {
    use(
      parsed.flatMap((url) =>
        (found.get(url.hostname) ?? []).map((host) => ({ id: `${url.href} ${host}`, url, host })),
      ),
    )
  }

  return {
    again() {
      for (const name of watched) name.again()
    },
    close() {
      for (const name of watched) name.close()
    },
  }
}

/** Calls `changed` with the addresses of a name, when they are known and when they are others. */
function watch(name: string, { lookup, everyMs }: Names, changed: (hosts: readonly string[]) => void): Addresses {
  let last = ''
  let asked = 0
  let isClosed = false
  /** Until the next look-up; undefined during one. */
  let timer: NodeJS.Timeout | undefined = setTimeout(() => void ask(), 0)

  async function ask(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    asked = performance.now()
    const hosts = (await lookup(name).catch(() => [])).map(bracketed).toSorted().slice(0, most)
    if (isClosed) return
    timer = setTimeout(() => void ask(), hosts.length > 0 ? everyMs : againMs).unref()
    if (hosts.length === 0 || hosts.join() === last) return
    last = hosts.join()
    changed(hosts)
  }

  return {
    again() {
      if (timer !== undefined && performance.now() - asked >= againMs) void ask()
    },
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** Begins what is new and ends what is gone. */
export function follow<T>(
  kept: Map<string, T>,
  addresses: readonly CoreAddress[],
  begin: (address: CoreAddress) => T,
  end: (one: T) => void,
): void {
  const ids = new Set(addresses.map(({ id }) => id))
  for (const address of addresses) if (!kept.has(address.id)) kept.set(address.id, begin(address))
  for (const [id, one] of kept)
    if (!ids.has(id)) {
      kept.delete(id)
      end(one)
    }
}

/** Those of one family: a core that has both would count twice. */
async function addressesOf(name: string): Promise<string[]> {
  const all = await lookUp(name, { all: true })
  const family = all.some(({ family }) => family === 4) ? 4 : 6
  return all.flatMap((one) => (one.family === family ? [one.address] : []))
}

const bare = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')
const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)
