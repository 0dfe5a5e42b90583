import { expect, test } from 'vitest'
import { forwards as limits } from '../../../shared/limits.ts'
import { slots } from '../../process/concurrency/slots.ts'
import type { Statement } from '../../records/xapi/types.ts'
import { sendInOrder, type Prepared } from './send-batch.ts'
import type { Target } from './target.ts'

/** A statement whose attachment has so many bytes. */
const withBytes = (size: number): Prepared => {
  const id = crypto.randomUUID()
  const parts = [{ id: 1, sha2: '0', contentType: 'text/plain', size }]
  return { stored: 1, id, form: { id, text: '{}', statement: {} as Statement, parts } }
}

test('requests of more than a batch wait for a slot of their owner; others need none', async () => {
  const posts: string[] = []
  const target = {
    post: async ({ ids }: { ids: readonly string[] }) => (posts.push(...ids), 'taken'),
  } as never as Target
  const large = slots({ inAll: 2, ofOne: 1, refusal: 'later' })
  const send = async (owner: string, bytes: number) => {
    const how = { most: 50, serverErrors: 'fail', large: () => large.take(owner) } as const
    const open = async () => Buffer.from('x')
    await sendInOrder(target, [withBytes(bytes)], how, open, () => {}, new AbortController().signal)
  }
  await send('studio 1', limits.batchBytes + 1)
  // released: the next one has it
  const under = large.take('studio 1')
  await expect(send('studio 1', limits.batchBytes + 1)).rejects.toThrow('later')
  expect(posts).toHaveLength(1)
  await send('studio 2', limits.batchBytes + 1)
  await send('studio 1', limits.batchBytes / 2)
  under()
  await send('studio 1', limits.batchBytes + 1)
  expect(posts).toHaveLength(4)
})
