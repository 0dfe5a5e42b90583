import { expect, test } from 'vitest'
import { ignoring } from './ignore-list.ts'

test.each<[rule: string, ignored: string[], kept: string[]]>([
  ['*.map', ['game.map', 'js/game.map'], ['game.map.js', 'map']],
  ['/*.map', ['game.map'], ['js/game.map']],
  ['js/*.map', ['js/a.map'], ['x/js/a.map', 'js/x/a.map']],
  ['sources/', ['sources/', 'js/sources/'], ['sources', 'resources/']],
  ['docs/**', ['docs/a', 'docs/a/b'], ['docs/', 'xdocs/a']],
  ['**/test/*.js', ['test/a.js', 'x/y/test/a.js'], ['test/x/a.js']],
  ['level?.json', ['level1.json'], ['level10.json']],
  ['a+(b).js', ['a+(b).js'], ['aab.js']],
  ['# *.js', [], ['a.js']],
  ['', ['.env', '.git/', 'x/Thumbs.db', '__MACOSX/'], ['a.env']],
])('%s', (rule, ignored, kept) => {
  const ignores = ignoring(`\n${rule}\n`)
  const is = (path: string) => ignores(path.replace(/\/$/, ''), path.endsWith('/'))
  expect([ignored.filter((path) => !is(path)), kept.filter(is)]).toEqual([[], []])
})

test('a rule that takes another one back is refused', () => {
  expect(() => ignoring('*.js\n!game.js')).toThrow('"!game.js" begins with !')
})
