import { open } from 'node:fs/promises'
import { Failed } from './failed.ts'
import type { Session } from './session.ts'

const longest = 4096

/** The first line of stdin; a terminal does not show what is typed. @param question for a person */
export async function askSecret({ ending, note }: Session, question: string): Promise<string> {
  const { stdin } = process
  if (stdin.isTTY) {
    note(question)
    stdin.setRawMode(true)
  }
  const leave = (): void => void stdin.destroy()
  ending.addEventListener('abort', leave)
  try {
    let line = ''
    for await (const chunk of stdin.iterator({ destroyOnReturn: true })) {
      ending.throwIfAborted()
      for (const character of String(chunk)) {
        if (character === '\r' || character === '\n' || character === '\u0004') return line.trim()
        if (character === '\u0003') process.kill(process.pid, 'SIGINT')
        else line = character === '\u007f' ? line.slice(0, -1) : line + character
      }
    }
    return line.trim()
  } finally {
    ending.removeEventListener('abort', leave)
    if (stdin.isTTY) stdin.setRawMode(false)
  }
}

/** The first line of a file. @throws Failed */
export async function secretIn(path: string): Promise<string> {
  try {
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longest + 1))
    if (bytesRead > longest) throw new Failed(`${path} is too large for a secret.`, 2)
    return buffer
      .toString('utf8', 0, bytesRead)
      .split(/[\r\n]/, 1)[0]!
      .trim()
  } catch (error) {
    if (error instanceof Failed) throw error
    throw new Failed(`${path} cannot be read: ${(error as Error).message}`, 2)
  }
}
