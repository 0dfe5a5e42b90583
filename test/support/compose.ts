import { readFileSync } from 'node:fs'

export type Yaml = string | Yaml[] | { [name: string]: Yaml }

/**
 * Reads the part of YAML that ops/compose.yaml and ops/ci/github/action.yml are written in: mappings and lists by
 * indentation, lists and mappings of one line, plain and quoted texts, anchors of mappings, which `<<` or a value names. Throws at anything
 * else.
 */
export function readCompose(path: string, env: Record<string, string>): { [name: string]: Yaml } {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line))
  const anchors = new Map<string, Yaml>()
  let at = 0

  const scalar = (text: string): string => {
    const plain = /^(['"])(.*)\1$/.exec(text)?.[2] ?? text
    if (/[{}[\]&*|>]|: /.test(plain.replaceAll(/\$\{\{[^}]*\}\}|\$\{[^}]*\}|\*\./g, '')))
      throw new Error(`not read here: ${text}`)
    return plain.replaceAll(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, usual?: string) => {
      const value = env[name] ?? usual
      if (value === undefined) throw new Error(`${name} is not in the example of the environment`)
      return value
    })
  }
  const inLine = (text: string): Yaml => {
    const inside = text.slice(1, -1)
    const parts = inside.match(/'[^']*'|[^,]+/g)?.map((part) => part.trim()) ?? []
    if (text.startsWith('[')) return parts.map(scalar)
    if (!text.startsWith('{')) return scalar(text)
    return Object.fromEntries(parts.map((part) => [part.split(': ')[0]!, scalar(part.split(': ').slice(1).join(': '))]))
  }
  const depth = (line = ''): number => line.search(/\S/)

  function block(indent: number): Yaml {
    if (lines[at]!.trimStart().startsWith('- ')) {
      const list: Yaml[] = []
      while (depth(lines[at]) === indent) {
        const item = lines[at]!.trim().slice(2)
        if (!/^[\w-]+: /.test(item)) list.push(inLine(lines[at++]!.trim().slice(2)))
        else {
          lines[at] = lines[at]!.replace('- ', '  ')
          list.push(block(indent + 2))
        }
      }
      return list
    }
    let all: { [name: string]: Yaml } = {}
    while (depth(lines[at]) === indent) {
      const [, name, rest] = /^\s*([\w.<-]+):(?: (.*))?$/.exec(lines[at++]!)!
      const anchor = /^&(\w+)$/.exec(rest ?? '')?.[1]
      if (name === '<<') all = { ...(anchors.get(rest!.slice(1)) as object), ...all }
      else if (rest?.startsWith('*')) all[name!] = anchors.get(rest.slice(1))!
      else if (rest && !anchor) all[name!] = inLine(rest)
      else all[name!] = depth(lines[at]) > indent ? block(depth(lines[at])) : ''
      if (anchor) anchors.set(anchor, all[name!]!)
    }
    return all
  }
  return block(0) as { [name: string]: Yaml }
}
