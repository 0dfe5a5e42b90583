import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { newWebhookSecret, signedHeaders } from './webhook-secret.ts'

const documented = readFile(join(resolve(import.meta.dirname, '..', '..', '..'), 'docs', 'webhooks.md'), 'utf8')

test('the vector of the document is signed so, by its words and by what signs here', async () => {
  const text = await documented
  const vector = /```text\n([^`]+)```/.exec(text)![1]!
  const [, secret, id, seconds, body, signature] =
    /^secret +(\S+)\nwebhook-id +(\S+)\nwebhook-timestamp +(\d+)\nbody +(.+)\nwebhook-signature +(\S+)\n$/.exec(vector)!
  const key = Buffer.from(secret!.slice('whsec_'.length), 'base64')
  const byHand = `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
  expect(byHand).toBe(signature)
  const signed = signedHeaders([secret!], { id: id!, seconds: Number(seconds), body: Buffer.from(body!) })
  expect(signed).toEqual({ 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signature })
})

test('two secrets make two signatures, the newest first, and each secret is another', () => {
  const [older, newer] = [newWebhookSecret(), newWebhookSecret()]
  expect(older).not.toBe(newer)
  const about = { id: 'msg_1', seconds: 1_795_000_000, body: Buffer.from('{}') }
  const of = (...secrets: string[]) => signedHeaders(secrets, about)['webhook-signature']
  expect(of(newer, older)).toBe(`${of(newer)} ${of(older)}`)
})
