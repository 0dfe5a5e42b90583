import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { SandboxEventSchema } from '../../../../gen/lrs/v1/launches_pb.js'
import { sandboxEvent } from './sandbox-event.ts'

const statements = ['ann', 'ben'].map((name) => ({
  actor: { name },
  verb: { id: 'http://adlnet.gov/expapi/verbs/completed', display: { en: 'completed' } },
  object: { id: `https://games.example.org/${name}`, definition: { name: { en: `Level of ${name}` } } },
}))
const shown = (body: string, warned: { statement: number; text: string }[]) =>
  sandboxEvent(
    create(SandboxEventSchema, {
      request: 'POST /xapi/statements',
      status: 200,
      message: 'stored 2 statements',
      body,
      warnings: warned.map((warning) => ({ ...warning, rule: 'completed-without-start' })),
    }),
    {
      learner: 'Ann',
      languages: ['en'],
      game: { name: 'Chess', activityId: 'https://games.example.org/' },
    } as unknown as Parameters<typeof sandboxEvent>[1],
  ).text

test('a warning is at its statement, and what a game names itself is escaped', () => {
  const text = shown(JSON.stringify(statements), [{ statement: 1, text: '“<b>” is completed, but never started.' }])
  expect(text).toContain('class="event warned"')
  const [before, after] = text.split('<ul class="warnings">')
  expect(before).toContain('Level of ben')
  expect(after).toContain('<strong>Warning</strong> “&lt;b&gt;” is completed')
  // the newest is the first
  expect(after).toContain('Level of ann')
  expect(shown(JSON.stringify(statements), [])).not.toContain('warn')
})

test('a warning of a statement that was cut off is at the end', () => {
  const cut = JSON.stringify(statements).slice(0, -20)
  expect(shown(cut, [{ statement: 1, text: 'Slip.' }])).toMatch(/Level of ann[\s\S]*<\/ul><ul class="warnings">/)
  expect(shown('', [{ statement: 0, text: 'Slip.' }])).toContain('Slip.')
})
