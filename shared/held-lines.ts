import { isUtf8 } from 'node:buffer'
import type { ExportLearnerResponse } from '../gen/lrs/v1/admin_pb.js'

/**
 * A part of an export as a line of JSON: `{"kind": …}`. Statements stand in it byte for byte, documents as text or in
 * base64. Undefined: the end, which has no line.
 */
export function heldLine(part: ExportLearnerResponse['part']): string | undefined {
  switch (part.case) {
    case 'learner': {
      const { person, account, consents } = part.value
      const known = account && {
        name: account.name,
        kind: account.kind,
        gameId: account.gameId,
        created: microTimeOf(account.created * 1_000_000n),
      }
      const agreed = consents.map(({ version, language, agreed }) => ({
        version,
        language,
        agreed: microTimeOf(agreed * 1_000_000n),
      }))
      const rest = `"account":${JSON.stringify(known ?? null)},"consents":${JSON.stringify(agreed)}`
      return `{"kind":"learner","person":${oneLine(person) || 'null'},${rest}}\n`
    }
    case 'statement': {
      const { gameId, json, voided, own, sandbox } = part.value
      const marks = `"voided":${voided},"own":${own},"sandbox":${sandbox}`
      return `{"kind":"statement","gameId":"${gameId}",${marks},"statement":${oneLine(json)}}\n`
    }
    case 'document': {
      const { kind, gameId, activityId, registration, id, contentType, content, updated } = part.value
      const body = isUtf8(content)
        ? { text: Buffer.from(content).toString() }
        : { base64: Buffer.from(content).toString('base64') }
      return `${JSON.stringify({
        kind,
        gameId,
        activityId,
        registration,
        id,
        contentType,
        updated: microTimeOf(updated),
        ...body,
      })}\n`
    }
    case 'end':
    case undefined:
      return undefined
  }
}

/** Microseconds since 1970 as ISO 8601 with six fractional digits. */
function microTimeOf(micros: bigint): string {
  const [head] = new Date(Number(micros / 1_000_000n) * 1000).toISOString().split('.')
  return `${head}.${(micros % 1_000_000n).toString().padStart(6, '0')}Z`
}

/** Only spaces between tokens of JSON can be line feeds. */
const oneLine = (json: Uint8Array): string =>
  Buffer.from(json)
    .toString()
    .replaceAll(/[\r\n]/g, ' ')
    .trimEnd()
