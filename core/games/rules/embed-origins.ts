import { embedding } from '../../../shared/limits.ts'
import { Problem } from '../../process/problem.ts'

const shape = /^https?:\/\/[\p{L}\p{N}.-]+(:\d{1,5})?\/?$/iu
/** A host-source of a Content-Security-Policy: it has no character that ends or widens the directive. */
const host = /^[a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*$/
const ownMachine = /^(localhost|127(\.\d{1,3}){3}|.+\.localhost)$/

/**
 * Origins of the pages that may show a game in a frame, each once, as browsers write them. Games are played over https;
 * http is for the developer's own machine.
 * @throws Problem at `player.embed[n]`
 */
export function embedOrigins(given: readonly string[]): string[] {
  const origins = new Set(given.map((one, n) => originOf(one.trim(), `player.embed[${n}]`)))
  if (origins.size > embedding.origins)
    throw new Problem('player.embed', `must have at most ${embedding.origins} origins`, 'limits#embedding')
  return [...origins]
}

function originOf(given: string, path: string): string {
  const url = given.length <= embedding.characters && shape.test(given) ? URL.parse(given) : null
  if (!url || !host.test(url.hostname))
    throw new Problem(path, 'must be an origin, such as https://school.example, without a path and without *')
  if (url.protocol === 'http:' && !ownMachine.test(url.hostname))
    throw new Problem(path, 'must begin with https://; http:// is for localhost only')
  // a name in other letters is longer in the header
  if (url.origin.length > embedding.characters)
    throw new Problem(path, `must have at most ${embedding.characters} characters, in ASCII`)
  return url.origin
}
