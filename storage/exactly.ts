import { StorageFailure } from './storage.ts'

/** Passes `size` bytes on, not one more or less. */
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
        `${seen > size ? 'More' : 'Fewer'} bytes came than the ${size} that were said.`,
      )
  }
}
