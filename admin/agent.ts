import { Failed } from './failed.ts'

/** JSON of an Agent, from JSON, an e-mail address, a mailto IRI, or `homePage|name`. @throws Failed */
export function agentOf(named: string): string {
  if (named.trimStart().startsWith('{')) {
    try {
      return JSON.stringify(JSON.parse(named))
    } catch {
      throw new Failed(`The agent is not valid JSON: ${named}`, 2)
    }
  }
  const [, homePage, name] = /^([a-z][a-z0-9+.-]*:[^|]+)\|(.+)$/i.exec(named) ?? []
  if (name !== undefined) return JSON.stringify({ objectType: 'Agent', account: { homePage, name } })
  if (/^(mailto:)?[^\s@]+@[^\s@]+$/i.test(named))
    return JSON.stringify({ objectType: 'Agent', mbox: named.replace(/^(mailto:)?/i, 'mailto:') })
  throw new Failed(`${JSON.stringify(named)} is not an agent. Use JSON, an e-mail address, or homePage|name.`, 2)
}
