import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { ForwardSchema, ForwardState } from '../../../gen/lrs/v1/forwards_pb.js'
import { stateWords } from './forward-state.ts'

const { RUNNING, FAILING, PAUSED } = ForwardState
const soon = BigInt(Math.floor(Date.now() / 1000) + 300)
const through = 1_795_396_500_000_000n
const refused = { failures: 7, problem: 'The target answered 503', behindSeconds: 7_320n, through }

test.each([
  ['up to date', { state: RUNNING, sent: 1n }, 'Up to date', ''],
  ['new', { state: RUNNING }, 'Begins', 'Nothing has been sent yet. No statement is known to wait.'],
  ['sending', { state: RUNNING, behindSeconds: 754n, through }, 'Sending', 'Behind by 12 min 34 s.'],
  [
    'from the beginning',
    { state: RUNNING, behindSeconds: 1_795_396_500n },
    'Sending',
    'It begins with the oldest statement.',
  ],
  ['paused', { state: PAUSED, behindSeconds: 90_000n, through }, 'Paused', 'Behind by 1 d 1 h.'],
  ['paused, complete', { state: PAUSED }, 'Paused', 'Nothing waits. What is stored now waits until it is resumed.'],
  [
    'failing, tried again at once',
    { state: FAILING, ...refused },
    'Failing',
    'The target answered 503. 7 attempts failed; the next one comes at once. Behind by 2 h 2 min.',
  ],
  [
    'failing, tried again later',
    { state: FAILING, failures: 1, nextAttempt: soon },
    'Failing',
    expect.stringMatching(/^The target did not take the last batch. 1 attempt failed; the next one comes on .* UTC\.$/),
  ],
  ['of a later version', { state: 99 as ForwardState }, 'Unknown', ''],
])('the state in words: %s', (_name, forward, text, more) => {
  const words = stateWords(create(ForwardSchema, forward))
  expect(words.text).toBe(text)
  const said = (words.more?.text ?? '').replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')
  expect(said.trim()).toEqual(more)
})

test('what a target said is text, and cut', () => {
  const problem = `<script>alert(1)</script>${'x'.repeat(5_000)}`
  const { more } = stateWords(create(ForwardSchema, { state: FAILING, failures: 2, problem }))
  expect(more!.text).toContain('&lt;script&gt;')
  expect(more!.text.length).toBeLessThan(700)
})
