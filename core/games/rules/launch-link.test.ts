import { expect, test } from 'vitest'
import { launchLink } from './launch-link.ts'

test.each(['', 'myquiz://play', 'org.example.quiz://play/level-1', 'https://quiz.example/play'])(
  '%j may open a game',
  (link) => {
    expect(launchLink(` ${link} `)).toBe(link)
  },
)

test.each([
  'javascript:alert(1)',
  'javascript://play/alert',
  'JavaScript://x',
  'data://text',
  'http://quiz.example',
  'file:///etc/passwd',
  'intent://scan',
  'ms-msdt://x',
  'myquiz:play',
  'myquiz://',
  'myquiz://play?x=1',
  'myquiz://play#x',
  'myquiz://play/%0a',
  'x://play',
  'https://192.0.2.1/play',
  'https://user@quiz.example',
  `myquiz://${'x'.repeat(200)}`,
  '"><script>://x',
])('%j may not', (link) => {
  expect(() => launchLink(link)).toThrow(/^player\.launch_link: /)
})
