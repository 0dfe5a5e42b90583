import { domainToUnicode } from 'node:url'
import { reservations as limits } from '../../../shared/limits.ts'
import { isIri } from '../xapi/values.ts'
import { Problem } from '../../process/problem.ts'
import { say } from '../../../shared/say.ts'

/** Only the games of one studio change definitions and profiles of activities below this prefix. */
export interface Reservation {
  /** Ends with a slash; the address without that slash belongs to it too. */
  readonly prefix: string
  readonly studio: number
}

/** Hosts of shared vocabularies. Nobody may reserve them, nor hosts below them. */
export const sharedVocabularies = [
  'activitystrea.ms',
  'adlnet.gov',
  'brindlewaye.com',
  'dublincore.org',
  'h5p.org',
  'imsglobal.org',
  'purl.org',
  'risc-inc.com',
  'schema.org',
  'tincanapi.com',
  'tincanapi.co.uk',
  'vocab.xapi.fr',
  'w3.org',
  'w3id.org',
  'xapi.vocab.pub',
  'xmlns.com',
]

const shape = /^https?:\/\/([^/?#@]+)\/((?:[^/?#]+\/)*)$/

/** Checks the form of a prefix. @throws Problem */
export function prefixParameter(text: string, name: string): string {
  const example = 'such as https://blue-fox.example/quiz/'
  if (text.length > limits.characters || !isIri(text) || !URL.canParse(text)) {
    throw new Problem(name, `must be an IRI of at most ${limits.characters} characters, ${example}`)
  }
  if (!text.endsWith('/')) throw new Problem(name, `must end with a slash after a whole part of the path, ${example}`)
  const [, authority, path] = shape.exec(text) ?? []
  if (authority === undefined || path!.split('/').some((part) => part === '.' || part === '..')) {
    throw new Problem(
      name,
      `must be http or https, a host and a path, without user, query, fragment, empty or dot segments, ${example}`,
    )
  }
  const { host, hostname } = new URL(text)
  if (authority !== host && authority !== host.replace(hostname, domainToUnicode(hostname))) {
    throw new Problem(name, say`must have its host in lower case and without a usual port: ${host}`)
  }
  const shared = sharedVocabularies.find((vocabulary) => `.${hostname.replace(/\.$/, '')}`.endsWith(`.${vocabulary}`))
  if (shared !== undefined) throw new Problem(name, say`must not lie at ${shared}: all studios share its vocabulary`)
  return text
}

/** Whether one contains the other; http and https are equal here. */
export function overlap(one: string, other: string): boolean {
  const [a, b] = [one, other].map((prefix) => prefix.slice(prefix.indexOf('://')))
  return a!.startsWith(b!) || b!.startsWith(a!)
}

/** Finds the studio that has reserved an activity; undefined: none. */
export type OwnerOf = (iri: string) => number | undefined

/**
 * Looks up activities among all reservations: prefixes are sorted and do not contain each other, so only the last
 * prefix at or before an address can contain it.
 */
export function ownersOf(all: readonly Reservation[]): OwnerOf {
  const sorted = all.toSorted((one, other) => (one.prefix < other.prefix ? -1 : 1))
  // a prefix within another one has the same studio, so it is left out
  const widest: Reservation[] = []
  for (const one of sorted) if (!one.prefix.startsWith(widest.at(-1)?.prefix ?? '\0')) widest.push(one)
  if (widest.length === 0) return () => undefined
  return (iri) => {
    const address = `${iri.slice(0, limits.characters).split(/[?#]/, 1)[0]}/`
    let [low, high] = [0, widest.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (widest[middle]!.prefix <= address) low = middle + 1
      else high = middle
    }
    const found = widest[low - 1]
    return found && address.startsWith(found.prefix) ? found.studio : undefined
  }
}
