import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { buildQuiz } from './build.ts'

const folder = await mkdtemp(join(tmpdir(), 'lrs-quiz-'))
afterAll(() => rm(folder, { recursive: true }))

const digest = async (file: string) =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex')

test('the same files make the same zip, and a small one', async () => {
  const [first, second] = await Promise.all(['a.zip', 'b.zip'].map((name) => buildQuiz(join(folder, name))))
  expect(await digest(first!)).toBe(await digest(second!))
  expect((await readFile(first!)).length).toBeLessThan(20_000)
})
