import { describe, expect, test } from 'vitest'
import { entryName } from '../../games/package/entry-name.ts'
import { emailAddress, mailboxOf } from './email.ts'
import { line } from './text.ts'
import { fileName } from '../../games/rules/upload-kinds.ts'

/** Names as people write them. */
const names = [
  'Söhne & Töchter, Łódź',
  'Шахматы',
  '学校の冒険',
  // a variant of a sign in a Japanese name
  '葛\u{e0100}城',
  '👩‍🚀 ❤️ 👨‍👩‍👧 🏴‍☠️ 👩🏽‍🚀 1️⃣',
  // ZWNJ in Persian, ZWNJ and ZWJ in Hindi, Sinhala, Malayalam
  'می\u200cخواهم',
  'क्\u200cष',
  'र\u094d\u200dय',
  'ක්\u200dෂ',
  'ന്\u200d',
  'עברית عربي',
]
/** The same with what nobody sees. */
const hidden: [string, string][] = [
  ['a\u202eb', 'U+202E'],
  ['a\u2066b\u2069', 'U+2066'],
  ['a\u200eb', 'U+200E'],
  ['a\u200bb', 'U+200B'],
  ['a\u00adb', 'U+00AD'],
  ['a\u2060b', 'U+2060'],
  ['a\u034fb', 'U+034F'],
  ['a\u3164b', 'U+3164'],
  ['a\u115fb', 'U+115F'],
  ['a\u{e0061}b', 'U+E0061'],
  // joiners where they do nothing
  ['Ow\u200cl', 'U+200C'],
  ['Ow\u200dl', 'U+200D'],
  ['\u200dمی', 'U+200D'],
  ['می\u200c\u200c\u200cخ', 'U+200C'],
  ['👩\u200d', 'U+200D'],
  // a variant of nothing, or of a variant
  ['a \ufe0f', 'U+FE0F'],
  ['a\ufe01\ufe02\ufe03', 'U+FE02'],
]

describe('names', () => {
  test.each(names)('%s is one', (name) => {
    expect(line(name, 'name', { max: 100 })).toBe(name.normalize('NFC'))
    expect(entryName(Buffer.from(`levels/${name}.png`)).name).toBe(`levels/${name}.png`)
  })
  test.each(hidden)('%j is refused', (name, number) => {
    const text = expect.objectContaining({ what: expect.stringContaining(`invisible characters, such as ${number}`) })
    expect(() => line(name, 'name', { min: 1, max: 100 })).toThrow(text)
    const inEntry = expect.objectContaining({
      what: expect.stringContaining(`invisible characters in its name, such as ${number}`),
    })
    expect(() => entryName(Buffer.from(`levels/${name}.png`))).toThrow(inEntry)
    expect(() => fileName(`${name}.zip`)).toThrow('file_name')
  })
})

describe('e-mail addresses', () => {
  test.each([
    [' Ann.B+lrs@Studio.Example ', 'ann.b+lrs@studio.example'],
    ['jörg@müller.example', 'jörg@müller.example'],
    ['用户@例子.广告', '用户@例子.广告'],
  ])('%j is kept as %j', (given, kept) => expect(emailAddress(given)).toBe(kept))

  test.each([
    ...hidden.map(([name]) => `${name.replaceAll(' ', '')}@studio.example`),
    ...names.filter((name) => /[\u200c\u200d]/.test(name)).map((name) => `${name.split(' ')[0]}@studio.example`),
    'x\u202eelpmaxe.a\uff20a-renwo\u202d@evil.example',
    'own\ufeffer@studio.example',
    'owner@studio.example\u200b',
    'ann\uff20studio.example@evil.example',
    'ａnn@studio.example',
    'ann@studio．example',
    'ﬁsh@studio.example',
    'ann@①.example',
  ])('%j is refused', (given) => expect(() => emailAddress(given)).toThrow(/^email: must/))

  test.each([
    ['ann+games@studio.example', 'ann@studio.example'],
    ['ann+a+b@studio.example', 'ann@studio.example'],
    ['ann@studio+x.example', 'ann@studio+x.example'],
  ])('%j is of the mailbox %j', (email, mailbox) => expect(mailboxOf(email)).toBe(mailbox))
})
