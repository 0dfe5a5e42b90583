import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { FailureSchema, Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { credentialIn, ofFields, settingsIn, sinceIn } from './forward-input.ts'

const formOf =
  (fields: Record<string, string>) =>
  (name: string): string =>
    fields[name] ?? ''

test('the form says which statements go where, and in which form', () => {
  const fields = { name: ' School ', endpoint: ' https://lrs.example/xapi ', version: '2.0.0', statements: 'sandbox' }
  expect(
    settingsIn(
      formOf({ ...fields, verb: 'completed', activity: 'https://a.example/1', related_activities: 'yes' }),
      [],
    ),
  ).toEqual({
    name: 'School',
    endpoint: 'https://lrs.example/xapi',
    version: '2.0.0',
    sandbox: true,
    verb: 'http://adlnet.gov/expapi/verbs/completed',
    activity: 'https://a.example/1',
    relatedActivities: true,
    pseudonyms: false,
    bare: false,
    attachments: false,
  })
  // whose statements go on does not change
  expect(settingsIn(formOf(fields), [], false).sandbox).toBe(false)
})

test('where there is no activity, it is not looked for anywhere', () => {
  expect(settingsIn(formOf({ related_activities: 'yes' }), []).relatedActivities).toBe(false)
})

test('attachments go on without pseudonyms only, and bare statements with them only', () => {
  const all = { bare: 'yes', attachments: 'yes' }
  expect(settingsIn(formOf(all), [])).toMatchObject({ pseudonyms: false, bare: false, attachments: true })
  const pseudonyms = settingsIn(formOf({ ...all, pseudonyms: 'yes' }), [])
  expect(pseudonyms).toMatchObject({ pseudonyms: true, bare: true, attachments: false })
})

test('a verb that the game does not have is refused', () => {
  expect(() => settingsIn(formOf({ verb: 'complted' }), [])).toThrow('No verb of this game is called “complted”')
})

test('only the chosen credential is sent; a space may belong to a password', () => {
  const fields = { user: ' ann ', password: ' pass ', bearer: ' token ' }
  expect(credentialIn(formOf({ ...fields, credential: 'basic' }))).toEqual({
    kind: { case: 'basic', value: { user: 'ann', password: ' pass ' } },
  })
  expect(credentialIn(formOf({ ...fields, credential: 'bearer' }))).toEqual({
    kind: { case: 'bearer', value: 'token' },
  })
  expect(credentialIn(formOf({ ...fields, credential: 'keep' }))).toBeUndefined()
})

test('from when', () => {
  expect(sinceIn(formOf({ from: 'now', since: '2026-11-05' }))).toBe('')
  expect(sinceIn(formOf({ from: 'beginning' }))).toBe('1970-01-01T00:00:00Z')
  expect(sinceIn(formOf({ from: 'date', since: '2026-11-05' }))).toBe('2026-11-05T00:00:00Z')
  for (const since of ['', '2026-11-99', 'yesterday'])
    expect(() => sinceIn(formOf({ from: 'date', since }))).toThrow('must be a day')
})

test('a refusal of core finds its field', () => {
  const failure = ofFields(
    create(FailureSchema, {
      reason: Reason.INVALID,
      path: 'settings.endpoint',
      message: 'settings.endpoint: must be an https address',
      further: [{ reason: Reason.INVALID, path: 'credential.basic', message: 'credential.basic: is empty' }],
    }),
  )
  expect(failure).toMatchObject({
    path: 'endpoint',
    message: 'endpoint: must be an https address',
    further: [{ path: 'user', message: 'user: is empty' }],
  })
})
