import { spawn } from 'node:child_process'

export interface Verdict {
  /** False: there are advisories; undefined: the registry gave no answer. */
  readonly good: boolean | undefined
  readonly said: string
}

const severities = ['critical', 'high', 'moderate', 'low'] as const
type Counts = Partial<Record<(typeof severities)[number], number>>

/** Reads the output of `npm audit --json`. */
export function verdictOf(answer: string): Verdict {
  const { message, metadata, vulnerabilities = {} } = read(answer)
  const counts = metadata?.vulnerabilities
  if (!counts) return { good: undefined, said: message ?? 'npm audit gave no answer' }
  const found = severities
    .filter((severity) => (counts[severity] ?? 0) > 0)
    .map((severity) => `${counts[severity]} ${severity}`)
  return found.length === 0
    ? { good: true, said: 'no known advisories' }
    : { good: false, said: `${found.join(', ')}: ${Object.keys(vulnerabilities).join(', ')}` }
}

/** Asks the registry for known advisories of dependencies. Not every registry can answer that. */
export function audit(folder: string): Promise<Verdict> {
  return new Promise((done) => {
    const npm = spawn('npm', ['audit', '--json'], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'], timeout: 60_000 })
    let answer = ''
    npm.stdout.on('data', (bytes) => (answer += bytes))
    npm.on('error', ({ message }) => done({ good: undefined, said: message }))
    npm.on('close', () => done(verdictOf(answer)))
  })
}

function read(answer: string): { message?: string; metadata?: { vulnerabilities?: Counts }; vulnerabilities?: object } {
  try {
    return JSON.parse(answer)
  } catch {
    return {}
  }
}
