import type { MessageInitShape } from '@bufbuild/protobuf'
import { Reason, type Failure } from '../../../gen/lrs/v1/failure_pb.js'
import type { ForwardCredentialSchema, ForwardSettingsSchema } from '../../../gen/lrs/v1/forwards_pb.js'
import type { InsightVerb } from '../../../gen/lrs/v1/insights_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { keptFilterIn } from '../records/statement-filter.ts'
import type { Form } from '../../web/visit.ts'

type Settings = Exclude<MessageInitShape<typeof ForwardSettingsSchema>, { $typeName: string }>
type Credential = Exclude<MessageInitShape<typeof ForwardCredentialSchema>, { $typeName: string }>

/** The settings in the form of a forward. @param sandbox undefined: the form says it @throws PageFailure */
export function settingsIn(form: Form, verbs: readonly InsightVerb[], sandbox?: boolean): Settings {
  const pseudonyms = form('pseudonyms') !== ''
  return {
    name: form('name').trim(),
    endpoint: form('endpoint').trim(),
    version: form('version'),
    sandbox: sandbox ?? form('statements') === 'sandbox',
    ...keptFilterIn(form, verbs),
    pseudonyms,
    bare: pseudonyms && form('bare') !== '',
    attachments: !pseudonyms && form('attachments') !== '',
  }
}

/** The credential in the form; undefined: the stored one stays. */
export function credentialIn(form: Form): Credential | undefined {
  switch (form('credential')) {
    case 'basic':
      return { kind: { case: 'basic', value: { user: form('user').trim(), password: form('password') } } }
    case 'bearer':
      return { kind: { case: 'bearer', value: form('bearer').trim() } }
    default:
      return undefined
  }
}

/** From where statements are sent, ISO 8601; empty: from now on. @throws PageFailure */
export function sinceIn(form: Form): string {
  const day = form('since')
  switch (form('from')) {
    case 'beginning':
      return '1970-01-01T00:00:00Z'
    case 'date':
      if (/^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(`${day}T00:00:00Z`))) return `${day}T00:00:00Z`
      throw new PageFailure(Reason.INVALID, 'since: must be a day, such as 2026-11-05', { path: 'since' })
    default:
      return ''
  }
}

/** Core names fields by their whole path, such as `settings.endpoint`; the form by the last part. */
export function ofFields(failure: Failure): Failure {
  const own = (one: Failure): Failure => {
    const last = one.path.split('.').at(-1)!
    const path = last === 'basic' ? 'user' : last
    const message = one.message.startsWith(`${one.path}: `) ? path + one.message.slice(one.path.length) : one.message
    return { ...one, path, message }
  }
  return { ...own(failure), further: failure.further.map(own) }
}
