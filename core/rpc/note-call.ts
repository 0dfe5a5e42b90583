import { isIP } from 'node:net'
import type { UnaryRequest, StreamRequest } from '@connectrpc/connect'
import { personalTokenIn } from '../accounts/access/personal-tokens.ts'
import type { Note } from '../accounts/command/audit-entry.ts'
import type { Core } from '../context.ts'
import type { AuditActor } from '../accounts/store/audit.ts'
import type { Call, Outcome } from '../process/methods/call.ts'
import type { Declared } from '../process/methods/declaration.ts'
import { NotAudited } from '../process/methods/audit-entries.ts'
import { peer } from './services/health.ts'
import { reasonName } from '../../shared/reasons.ts'

type Request = UnaryRequest | StreamRequest

/** Writes the entry of a call into the audit log, after its end. What is no part of the log writes nothing. */
export async function noteCall(core: Core, request: Request, call: Call, outcome: Outcome): Promise<void> {
  const note = noteOf(core, request, call, outcome)
  if (note) await core.audit.note(note)
}

function noteOf(core: Core, request: Request, call: Call, { response, error, failure }: Outcome): Note | undefined {
  const role = core.services.roleOf(call.authorization)
  const ended = error === undefined ? 'ok' : failure ? reasonName(failure.reason) : 'cancelled'
  const message = request.stream ? undefined : request.message
  const address = addressOf(request, call, role === 'portal')
  const { audit: entry } = call.declared!
  const isAudited = !(entry instanceof NotAudited)
  const isRefused = response !== undefined && isAudited && entry.isRefused?.(response)
  const outcome = isRefused ? 'unauthenticated' : ended
  const from = { outcome, address, request: call.requestId }
  if (role === undefined && call.person === undefined) {
    const isOurs = isForServices(call.declared!) || personalTokenIn(call.authorization) !== undefined
    return isOurs ? { action: 'service.call', actor: { kind: 'stranger' }, ...from } : undefined
  }
  if (!isAudited || (message && entry.unless?.(message)) || (entry.exports && !isExport(call, role))) return undefined
  const actor = actorOf(call, role)
  const isSignedIn = entry.signsIn && (response as { session?: string } | undefined)?.session
  return {
    ...from,
    action: entry.action,
    actor: isSignedIn ? { kind: 'account' } : actor,
    studio: entry.inStudio && actor.studio,
    subject: call.told?.subject ?? (entry.exports ? onBehalf(call) : message && entry.subject?.(message, response)),
    details: { ...(message || response ? entry.details?.(message ?? {}, response) : undefined), ...call.told?.details },
    counted: entry.exports,
  }
}

/** Who calls: a person with a session, else a service by its role. The portal without a session has a stranger. */
function actorOf({ person, holder }: Call, role: string | undefined): AuditActor {
  if (person)
    return {
      kind: 'account',
      id: person.accountId,
      name: person.email,
      studio: person.studioId ?? undefined,
      token: holder?.token.name,
    }
  return role === 'portal' || role === undefined ? { kind: 'stranger' } : { kind: 'service', id: role }
}

const isExport = ({ holder }: Call, role: string | undefined): boolean => role === 'admin' || holder !== undefined

const onBehalf = ({ onBehalf: id }: Call): Note['subject'] =>
  id === undefined ? undefined : { kind: 'credential', id }

/** Methods that take a service token, and no credential of a game. */
const isForServices = ({ who }: Declared): boolean => !who.some((one) => one === 'game' || one === 'anybody')

/** The address of the browser, as the portal tells it, or of the caller. */
function addressOf({ contextValues, message, stream }: Request, { sender }: Call, isPortal: boolean): string {
  const told = stream ? undefined : (message as { senderIp?: string }).senderIp
  const address = isPortal ? (sender ?? told ?? '') : contextValues.get(peer)
  return isIP(address) === 0 ? '' : address.replace(/^::ffff:(?=[\d.]+$)/i, '')
}
