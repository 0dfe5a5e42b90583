import { StorageFailure } from './storage.ts'

/** Passes `size` bytes on; fails if there are more or fewer. */
export function exactly(size: number) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let seen = 0
    for await (const chunk of source) {
      seen += chunk.length
      if (seen > size) break
      yield chunk
    }
    if (seen !== size)
      throw new StorageFailure(
        'incomplete',
        `${seen > size ? 'More' : 'Fewer'} bytes arrived than the announced ${size}.`,
      )
  }
}
