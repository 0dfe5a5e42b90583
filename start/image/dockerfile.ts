import { readFileSync } from 'node:fs'
import { basename, join, matchesGlob } from 'node:path'

/** The part of an image's configuration that a Dockerfile sets (OCI image specification). */
export interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Volumes: Readonly<Record<string, object>>
  readonly WorkingDir: string
}

export interface Docker {
  readonly copied: readonly { readonly from: string; readonly to: string }[]
  /** Paths, with *, that are removed from the packages of npm. */
  readonly removed: readonly string[]
  readonly config: ImageConfig
  isIgnored(path: string): boolean
}

/** Reads what ops/Dockerfile and its ignore file say, so that both ways make the same image. */
export function readDockerfile(root: string): Docker {
  const text = readFileSync(join(root, 'ops/Dockerfile'), 'utf8')
  const last = text.slice(text.lastIndexOf('\nFROM '))
  const all = (name: string): string[] =>
    [...last.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].map(([, said]) => said!)
  const one = (name: string): string => {
    const found = all(name)
    if (found.length !== 1) throw new Error(`ops/Dockerfile has ${found.length} lines of ${name}, but must have one.`)
    return found[0]!
  }
  if (one('USER') !== 'node') throw new Error('ops/Dockerfile has a user that is not node, whose number is not known.')
  const ignored = readFileSync(join(root, 'ops/Dockerfile.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('**/'))
  return {
    copied: all('COPY')
      .filter((said) => !said.startsWith('--'))
      .flatMap((said) => {
        const parts = said.split(' ')
        const to = parts.pop()!
        return parts.map((from) => ({ from, to: join(to, to.endsWith('/') ? basename(from) : '.') }))
      }),
    removed: /rm -rf ([^\\&]*)/.exec(text)![1]!.trim().split(' '),
    config: {
      User: '1000:1000',
      Env: ['PATH=/usr/local/bin:/usr/bin:/bin', ...all('ENV')],
      Entrypoint: JSON.parse(one('ENTRYPOINT')) as string[],
      Cmd: JSON.parse(one('CMD')) as string[],
      Volumes: { [one('VOLUME')]: {} },
      WorkingDir: one('WORKDIR'),
    },
    isIgnored: (path) => ignored.some((pattern) => matchesGlob(path, pattern)),
  }
}
