import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { columnsOf, csvRow } from '../../admin/csv.ts'
import { forTerminal, plain } from '../../admin/plain.ts'
import { launch } from '../../start/fixtures/launch.ts'
import { statement } from '../support/statements.ts'
import { startAdminSystem, type AdminSystem, type OwnOfTest } from '../support/admin-system.ts'
import { escapes } from './escapes.ts'

let { connected, admin, next, close } = {} as AdminSystem
let { game } = {} as OwnOfTest
beforeAll(async () => {
  ;({ connected, admin, next, close } = await startAdminSystem({ gateways: 0 }))
})
afterAll(() => close())
beforeEach(async () => {
  ;({ game } = await next())
})

describe('a terminal', () => {
  test('gets nothing that commands it; line ends and tabs stay', () => {
    expect(plain(`a\tb\n${escapes}`)).toBe('a\ufffdb\n\ufffd]0;title\ufffd\ufffd[2J\ufffd31m\ufffd')
    expect(forTerminal(`a\tb\r\nc\rd${escapes}`)).toBe('a\tb\r\nc\ufffdd\ufffd]0;title\ufffd\ufffd[2J\ufffd31m\ufffd')
  })

  const isThere = existsSync('/usr/bin/script') && process.platform === 'linux'
  test.runIf(isThere)('whatever is asked for; a file gets every byte', async () => {
    const one = statement({ actor: { name: `Eve${escapes}`, mbox: 'mailto:eve@example.org' } })
    await game.rpc().statements.storeStatements({ json: Buffer.from(JSON.stringify([one])) })
    const lines: string[][] = [
      ['query'],
      ['query', '--json'],
      ['query', '--id', one.id],
      ['export'],
      ['export', '--format', 'csv'],
    ]
    for (const line of lines) {
      const command = `'${process.execPath}' '${resolve(import.meta.dirname, '..', '..', 'admin', 'main.ts')}' statements ${[...line, '--key', game.key].join(' ')}`
      const shown = launch('script', ['-qec', command, '/dev/null'], {
        env: { PATH: process.env['PATH'], ...connected(), TERM: 'dumb' },
      })
      await shown.exited
      const text = shown.output().replaceAll('\r\n', '\n')
      expect(text, line.join(' ')).toContain('Eve')
      expect(text.replaceAll(/[\t\r]/g, ''), line.join(' ')).toBe(plain(text.replaceAll(/[\t\r]/g, '')))
    }
    expect(
      (await admin('statements', 'export', '--as', 'csv', '--columns', 'actor.name', '--key', game.key)).out,
    ).toContain(`Eve${escapes}`)
  })
})

test('cells that a spreadsheet would reckon with are text', () => {
  const cell = (response: unknown) =>
    csvRow(Buffer.from(JSON.stringify({ result: { response } })), columnsOf('result.response')).slice(0, -2)
  for (const formula of ['=1+1', '+1', '-1+cmd', '@sum(a1)', '\uff1d1+1', '\uff0b1'])
    expect(cell(formula)).toBe(`'${formula}`)
  for (const formula of ['\t=1', '\r=1', '\n=1']) expect(cell(formula)).toBe(`"'${formula}"`)
  expect([cell('a;=1'), cell('a,"=1"'), cell(-3), cell(true), cell('ann')]).toEqual([
    '"a;=1"',
    '"a,""=1"""',
    '-3',
    'true',
    'ann',
  ])
})
