import { afterAll, expect, test } from 'vitest'
import { hostile, launch, startStubPlay } from '../../../test/support/stub-play.ts'
import { addMadeUpLanguage, madeUp, untranslated } from '../../../test/support/made-up-language.ts'
import { languages } from '../../pages/games/play/find.ts'
import english from '../../texts/en.json' with { type: 'json' }

const call = startStubPlay()
afterAll(addMadeUpLanguage(english))

const session = `learner-bridges-rivers=1..QWRh.${launch.sessionSecret}.0.1`
const now = Math.floor(Date.now() / 1000).toString(36)
const remembered = `learner-bridges-rivers=1.token-of-the-learner.QWRh.${launch.sessionSecret}.2.${now}`
/** Names of the languages that games can have. */
const names = languages.map((tag) => new Intl.DisplayNames('en', { type: 'language' }).of(tag)!)
const known = [
  ...names,
  'Build bridges that hold.',
  hostile,
  'Blue <Fox>',
  'Ada',
  'Bridges',
  'Rivers',
  'Games LRS',
  'English',
  'Deutsch',
  '<',
]
const escaped = known.map((word) =>
  word.replaceAll(/[&<>"']/g, (sign) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }[sign]};`),
)

test.each([
  ['GET', '/play/bridges-rivers', ''],
  ['GET', '/play/bridges-rivers?invitation=abc', ''],
  ['POST', '/play/bridges-rivers', ''],
  ['GET', '/play/bridges-rivers', remembered],
  ['GET', '/play/bridges-rivers/game', session],
  ['GET', '/play/bridges-rivers/end', `ended-session=bridges-rivers.${launch.sessionSecret}`],
  ['GET', '/play/bridges-rivers/data', session],
  ['GET', '/play/bridges-rivers/data', remembered],
  ['GET', '/device', ''],
  ['GET', '/device/linked/bridges-rivers', ''],
  ['GET', '/device/linked/bridges-rivers', remembered],
  ['GET', '/play/none', ''],
  ['GET', '/embed/bridges-rivers', ''],
  ['POST', '/embed/bridges-rivers/end', ''],
  ['GET', '/cmi5/bridges-rivers?endpoint=https://lms.example&fetch=https://lms.example', ''],
  ['GET', '/', ''],
  ['GET', '/?words=x&subject=maths', ''],
  ['GET', '/g/bridges-rivers?done=reported', ''],
  ['GET', '/g/bridges-rivers/report', ''],
  ['GET', '/privacy', ''],
  ['GET', '/imprint', ''],
  ['POST', '/g/bridges-rivers/report', ''],
] as const)('%s %s has no text that is not in the catalogue (%#)', async (method, path, cookie) => {
  const { body } = await call(path, {
    method,
    cookie: `language=${madeUp}; ${cookie}`,
    ...(method === 'POST' && { form: {} }),
  })
  expect(body).toContain(`<html lang="${madeUp}"`)
  expect(untranslated(body, escaped)).toEqual([])
})

test('a page is in the language that the browser prefers, and stays in the one that the visitor chose', async () => {
  const heading = async (asked: object) =>
    /<html lang="(\w+)"/.exec((await call('/play/bridges-rivers', asked)).body)![1]
  expect(await heading({ language: 'fr, de-AT;q=0.8, en;q=0.5' })).toBe('de')
  expect(await heading({ language: 'fr' })).toBe('en')
  expect(await heading({ language: 'de', cookie: 'language=en' })).toBe('en')
  expect(await heading({ cookie: 'language=../../x' })).toBe('en')
  const chosen = await call('/language', { method: 'POST', form: { language: 'de', back: '/play/bridges-rivers' } })
  expect([chosen.status, chosen.location]).toEqual([303, '/play/bridges-rivers'])
  expect(chosen.headers.get('set-cookie')).toMatch(/^language=de; Max-Age=31536000; /)
  const wrong = await call('/language', { method: 'POST', form: { language: '<x>', back: 'https://evil.example/' } })
  expect([wrong.location, wrong.headers.get('set-cookie')]).toEqual(['/games', null])
})
