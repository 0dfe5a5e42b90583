import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { solveChallenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { captcha } from '../../core/accounts/access/captcha.ts'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import { easyPuzzle, signingKey } from '../support/system.ts'
import { refusal } from '../support/failures.ts'
import { startAccounts, type Accounts } from './accounts.ts'

let { system, portal, from, as, account } = {} as Accounts
beforeAll(async () => {
  ;({ system, portal, from, as, account } = await startAccounts())
})
afterAll(() => system.close())

describe('the contact form', () => {
  async function solution(): Promise<string> {
    const { json } = await portal.accounts.createChallenge({})
    const challenge = JSON.parse(json)
    return Buffer.from(
      JSON.stringify({ challenge, solution: await solveChallenge({ challenge, deriveKey }) }),
    ).toString('base64')
  }
  const contact = (slug: string, solution: string, senderIp: string, over = {}) =>
    portal.accounts.contactStudio({
      slug,
      senderName: 'Ana',
      senderEmail: 'ana@example.org',
      message: 'Hello!',
      solution,
      senderIp,
      ...over,
    })

  test('a solved challenge counts once, two at once: one', async () => {
    const { session } = await account('Contact Me')
    const { slug } = (await as(session).accounts.getAccount({})).studio!
    const solved = await solution()
    const outcomes = await Promise.allSettled([contact(slug, solved, from()), contact(slug, solved, from())])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await refusal(contact(slug, solved, from()))).toMatchObject({
      reason: Reason.INVALID,
      path: 'solution',
      message: expect.stringContaining('used before'),
    })
    const { messages } = await as(session).accounts.listMessages({})
    expect(messages).toMatchObject([{ senderName: 'Ana', senderEmail: 'ana@example.org', message: 'Hello!' }])
    await as(session).accounts.deleteMessage({ messageId: messages[0]!.messageId })
    expect((await as(session).accounts.listMessages({})).messages).toEqual([])
  })

  test('what is no solution: none, a wrong one, one of our own making, an edited challenge', async () => {
    const { session } = await account('Puzzle')
    const { slug } = (await as(session).accounts.getAccount({})).studio!
    const right = JSON.parse(Buffer.from(await solution(), 'base64').toString())
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
    const wrong = [
      '',
      'x',
      encode({}),
      encode(null),
      encode({ ...right, solution: {} }),
      encode({ ...right, solution: { ...right.solution, derivedKey: '00'.repeat(32) } }),
      encode({ ...right, challenge: { ...right.challenge, signature: '00'.repeat(32) } }),
      encode({
        ...right,
        challenge: { ...right.challenge, parameters: { ...right.challenge.parameters, expiresAt: 9_999_999_999 } },
      }),
    ]
    for (const one of wrong)
      expect(await refusal(contact(slug, one, from())), one).toMatchObject({ reason: Reason.INVALID, path: 'solution' })
    await contact(slug, encode(right), from())
  })

  test('five in ten minutes of one sender, a network of IPv6 being one', async () => {
    const { session } = await account('Busy')
    const { slug } = (await as(session).accounts.getAccount({})).studio!
    const outcomes = []
    for (let i = 1; i <= 6; i++)
      outcomes.push(
        await contact(slug, await solution(), `2001:db8:1:2::${i}`).then(
          () => 'sent',
          () => 'refused',
        ),
      )
    expect(outcomes).toEqual(['sent', 'sent', 'sent', 'sent', 'sent', 'refused'])
    expect(await refusal(contact(slug, await solution(), '2001:db8:1:2:3:4:5:6'))).toMatchObject({
      reason: Reason.RATE_LIMITED,
      message: expect.stringMatching(
        /^Too many requests\. Public studio contact form: at most 5 per 10 minutes\. Try again in 10 minutes\.$/,
      ),
    })
    await contact(slug, await solution(), '2001:db8:1:3::1')
  })

  test('a solution of more than ten minutes ago is none; a full box takes no more', async () => {
    const { session } = await account('Full')
    const { slug } = (await as(session).accounts.getAccount({})).studio!
    const { expiresAt } = JSON.parse((await portal.accounts.createChallenge({})).json).parameters
    expect(expiresAt * 1000 - Date.now()).toBeLessThanOrEqual(600_000)
    const old = captcha(signingKey, () => Date.now() - 601_000, easyPuzzle)
    const challenge = JSON.parse(await old.challenge())
    const late = Buffer.from(
      JSON.stringify({ challenge, solution: await solveChallenge({ challenge, deriveKey }) }),
    ).toString('base64')
    expect(await refusal(contact(slug, late, from()))).toMatchObject({
      path: 'solution',
      message: expect.stringContaining('expired'),
    })
    await system.database.sql(
      `insert into studio_message (studio, sender_name, sender_email, message)
      select id, 'x', 'x@example.org', 'x' from studio, generate_series(1, 1000) where slug = $1`,
      [slug],
    )
    const solved = await solution()
    expect(await refusal(contact(slug, solved, from()))).toMatchObject({ reason: Reason.CONFLICT })
    const { accounts } = as(session)
    expect((await accounts.getAccount({})).messagesFull).toBe(true)
    const other = await account('Other')
    const { messages } = await accounts.listMessages({})
    const messageIds = messages.map(({ messageId }) => messageId)
    expect((await as(other.session).accounts.deleteMessages({ messageIds })).messages).toBe(0)
    expect(await refusal(accounts.deleteMessages({ messageIds: ['x'] }))).toMatchObject({ reason: Reason.INVALID })
    expect((await accounts.deleteMessages({ messageIds })).messages).toBe(200)
    expect(await accounts.getAccount({})).toMatchObject({ messagesFull: false })
    expect(await as(other.session).accounts.getAccount({})).toMatchObject({ messagesFull: false })
    await contact(slug, solved, from())
  })
})
