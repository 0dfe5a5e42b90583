import { expect, test } from 'vitest'
import { renderMail } from './render.ts'

const notice = {
  title: 'Bob & <b>Eve</b>\r\nBcc: x@example.org',
  lines: ['One "line"', '<img src=x onerror=alert(1)>\nsecond'],
  path: '/games',
  action: 'See <it>',
}
const mail = renderMail(notice, 'https://portal.example/games?code=a&b', 'notice')

test('text and HTML have the same words', () => {
  expect(mail.text).toContain(
    'One "line"\n\n<img src=x onerror=alert(1)>\nsecond\n\nSee <it>:\nhttps://portal.example/games?code=a&b',
  )
  expect(mail.html).toContain('<p>One &quot;line&quot;</p>')
  expect(mail.html).toContain('<a href="https://portal.example/games?code=a&amp;b"')
})

test('a text of somebody is neither markup nor a header', () => {
  expect(mail.subject).toBe('Bob & <b>Eve</b> Bcc: x@example.org')
  expect(mail.html).not.toMatch(/<img|<b>|<it>/)
})

test('the HTML loads nothing from elsewhere', () =>
  expect(mail.html).not.toMatch(/<\w+[^>]* src=|url\(|<link|<script|@import/))
