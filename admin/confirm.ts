import { createInterface } from 'node:readline/promises'
import { Failed } from './failed.ts'
import type { Session } from './session.ts'

/** Goes on after a "yes" of the person; without a terminal only --yes will do. @throws Failed */
export async function confirmed({ ending }: Session, yes: boolean | undefined, question: string): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY) throw new Failed(`${question} Add --yes to confirm.`, 2)
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  asking.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  try {
    const answer = await asking.question(`${question} (yes/no) `, { signal: ending })
    if (!/^y(es)?$/i.test(answer.trim())) throw new Failed('Nothing was done.')
  } finally {
    asking.close()
  }
}
