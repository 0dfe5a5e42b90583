import { isUtf8 } from 'node:buffer'
import { existsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { agentOf } from '../agent.ts'
import { amount } from '../amount.ts'
import { Failed } from '../failed.ts'
import type { ExportLearnerResponse } from '../../gen/lrs/v1/admin_pb.js'
import type { Work } from '../session.ts'
import { lineOf, timeOf } from '../stored.ts'

/** Each thing as `{"kind": …}` in a line; statements stand in it byte for byte, documents as text or in base64. */
export const exportLearner: Work<{ out?: string }> = async (session, [named], { out }) => {
  const agent = agentOf(named!)
  if (out !== undefined && existsSync(out)) throw new Failed(`${out} exists already: name another file.`)
  const core = await session.connect()
  const file = out === undefined ? undefined : await open(out, 'wx', 0o600)
  let whole: { statements: number; documents: number } | undefined
  try {
    const parts = core.admin.exportLearner({ agent }, { signal: session.ending, timeoutMs: 0 })
    for await (const { part } of parts) {
      if (part.case === 'end') {
        whole = { statements: Number(part.value.statements), documents: Number(part.value.documents) }
      }
      const line = linesOf(part)
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
}

function linesOf(part: ExportLearnerResponse['part']): string | undefined {
  switch (part.case) {
    case 'learner': {
      const { person, account } = part.value
      const known = account && {
        name: account.name,
        kind: account.kind,
        gameId: account.gameId,
        created: timeOf(account.created * 1_000_000n),
      }
      return `{"kind":"learner","person":${raw(person) || 'null'},"account":${JSON.stringify(known ?? null)}}\n`
    }
    case 'statement': {
      const { gameId, json, voided, own, sandbox } = part.value
      return `{"kind":"statement","gameId":"${gameId}","voided":${voided},"own":${own},"sandbox":${sandbox},"statement":${raw(json)}}\n`
    }
    case 'document': {
      const { kind, gameId, activityId, registration, id, contentType, content, updated } = part.value
      const body = isUtf8(content)
        ? { text: Buffer.from(content).toString() }
        : { base64: Buffer.from(content).toString('base64') }
      return `${JSON.stringify({ kind, gameId, activityId, registration, id, contentType, updated: timeOf(updated), ...body })}\n`
    }
    case 'end':
    case undefined:
      return undefined
  }
}

const raw = (json: Uint8Array): string => lineOf(json).toString().trimEnd()
