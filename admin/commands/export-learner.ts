import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { heldLine } from '../../shared/held-lines.ts'
import { agentOf } from '../agent.ts'
import { amount } from '../show.ts'
import { command } from '../command.ts'
import { Failed } from '../failed.ts'

/** Each thing as `{"kind": …}` in a line; statements stand in it byte for byte, documents as text or in base64. */
export const exportLearner = command({
  about: 'export all data about a learner from all games, as lines of JSON',
  takes: { '<agent>': 'JSON of the Agent, an e-mail address, or homePage|name' },
  options: { '--out <file>': 'file to write (default: stdout)' },
  examples: ['learners export ann@example.org --out ann.ndjson', "learners export 'https://school.example|ann'"],
  async run({ admin }, { agent: named, out }, session) {
    const agent = agentOf(named)
    if (out !== undefined && existsSync(out)) throw new Failed(`${out} exists already: name another file.`)
    const file = out === undefined ? undefined : await open(out, 'wx', 0o600)
    let whole: { statements: number; documents: number } | undefined
    try {
      for await (const { part } of admin.exportLearner({ agent }, { signal: session.ending, timeoutMs: 0 })) {
        if (part.case === 'end')
          whole = { statements: Number(part.value.statements), documents: Number(part.value.documents) }
        const line = heldLine(part)
        if (line === undefined) continue
        if (file) await file.write(line)
        else await session.write(line)
      }
    } finally {
      await file?.close()
    }
    if (!whole) throw new Failed('The response was cut off, so the export is incomplete. Run it again.', 3)
    if (session.json && file) return { json: { file: out!, ...whole }, text: '' }
    session.note(`${amount(whole.statements, 'statement')} and ${amount(whole.documents, 'document')}.`)
  },
})
