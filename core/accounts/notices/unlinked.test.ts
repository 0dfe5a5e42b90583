import { expect, test } from 'vitest'
import { renderMail } from './render.ts'
import { teamNotices } from '../command/team-notices.ts'
import { unlinked } from './unlinked.ts'

test.each([
  // names as they are
  ['Owl & Fox', 'Owl & Fox'],
  ['Dr. Who, v1.2, 12:30, 50 %…', 'Dr. Who, v1.2, 12:30, 50 %…'],
  ['Äpfel – 学校。', 'Äpfel – 学校。'],
  ['Sign in with ann.b+c@lrs.example, please.', 'Sign in with ann.b+c@lrs.example, please.'],
  // addresses of pages
  ['https://evil.example/login', 'https[:]//evil[.]example/login'],
  ['HTTPS:\\\\evil', 'HTTPS[:]\\\\evil'],
  ['www.evil.example', 'www[.]evil[.]example'],
  ['evil.example', 'evil[.]example'],
  ['203.0.113.7/login', '203[.]0[.]113[.]7/login'],
  ['mailto:x@evil.example', 'mailto[:]x[@]evil[.]example'],
  ['javascript:alert', 'javascript[:]alert'],
  ['https://evil.example/@lrs.example', 'https[:]//evil[.]example/[@]lrs[.]example'],
  // other letters, and other signs that mean the same
  ['раураl.соm', 'раураl[.]соm'],
  ['例え.テスト', '例え[.]テスト'],
  ['evil。example evil．example evil｡example', 'evil[.]example evil[.]example evil[.]example'],
  ['https：／／evil', 'https[:]／／evil'],
  // what is not seen
  ['evil.\u200bexample', 'evil[.]example'],
  ['\u202eelpmaxe.live\u202c', 'elpmaxe[.]live'],
  ['ht\u00adtps:\u2060//evil', 'https[:]//evil'],
  ['a\u2028b\u0007\tc', 'a b c'],
  ['two\nlines', 'two\nlines'],
])('%j is written as %j', (text, expected) => expect(unlinked(text)).toBe(expected))

test('an invitation to a stranger has no name in its subject, and leads to us only', () => {
  const name = 'Your account was locked.” Sign in at https://evil.example/login “'
  const mail = renderMail(teamNotices.invited(name, 'analyst', 7), 'https://lrs.example/members/join?code=x', 'link')
  expect(mail.subject).toBe('You are invited to a studio')
  for (const text of [mail.text, mail.html]) {
    expect(text).toContain('“Your account was locked.')
    expect(new Set(text.match(/[a-z]+:\/\/[a-z.]+/g))).toEqual(new Set(['https://lrs.example']))
    expect(text).not.toContain('evil.example')
  }
})
