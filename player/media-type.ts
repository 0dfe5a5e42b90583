import { contentType } from 'mime-types'
import type { Coding } from '../shared/compressed-files.ts'

export interface Media {
  /** Value of Content-Type. */
  readonly type: string
  /** Value of Content-Encoding: engines such as Unity compress files and name them accordingly. */
  readonly encoding?: Coding
}

const unknown = 'application/octet-stream'

/** The type of a file of a build, by its name. */
export function mediaOf(name: string): Media {
  const [, inner, ending] = /^(.+)\.(br|gz)$/i.exec(name) ?? []
  // archives are served as they are, not as encoded content
  if (inner === undefined || /\.tar$/i.test(inner)) return { type: typeOf(name) }
  return { type: typeOf(inner), encoding: ending!.toLowerCase() === 'br' ? 'br' : 'gzip' }
}

function typeOf(name: string): string {
  const ending = /\.[^./]+$/.exec(name)?.[0]
  return (ending !== undefined && contentType(ending)) || unknown
}

/** Whether the browser accepts this encoding. */
export function accepts(header: string | undefined, encoding: Coding): boolean {
  const [, weight] = (header ?? '')
    .split(',')
    .map((part) =>
      part
        .toLowerCase()
        .split(';')
        .map((piece) => piece.trim()),
    )
    .find(([name]) => name === encoding) ?? [undefined, 'q=0']
  return weight === undefined || !/^q=0(\.0*)?$/.test(weight)
}
