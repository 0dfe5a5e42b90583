import { paths } from '../../shared/rest.ts'
import { json } from '../http/answer.ts'
import type { Resource } from '../resource.ts'

const answer = json('{"version":["1.0.3","2.0.0"],"extensions":{}}')

/** The About resource (xAPI 1.0.3 Communication 2.8). */
export function about(): Resource {
  return { path: paths.about, open: true, actions: { GET: { parameters: {}, run: () => answer } } }
}
