import { contentType } from 'mime-types'

export interface Media {
  /** Value of Content-Type. */
  readonly type: string
  /** The file holds its content encoded like this: engines such as Unity name it so. */
  readonly encoding?: 'br' | 'gzip'
}

const unknown = 'application/octet-stream'

/** What a file of a build is, by its name. */
export function mediaOf(name: string): Media {
  const [, inner, ending] = /^(.+)\.(br|gz)$/i.exec(name) ?? []
  // an archive is an archive
  if (inner === undefined || /\.tar$/i.test(inner)) return { type: typeOf(name) }
  return { type: typeOf(inner), encoding: ending!.toLowerCase() === 'br' ? 'br' : 'gzip' }
}

function typeOf(name: string): string {
  const ending = /\.[^./]+$/.exec(name)?.[0]
  return (ending !== undefined && contentType(ending)) || unknown
}

/** Whether the browser says that it decodes this. */
export function accepts(header: string | undefined, encoding: 'br' | 'gzip'): boolean {
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
