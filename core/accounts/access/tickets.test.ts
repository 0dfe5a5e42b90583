import { expect, test } from 'vitest'
import { tickets } from './tickets.ts'

const [old, young] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]

test('a ticket is valid for its purpose, for what it is bound to, and for its time', () => {
  let now = 1_000_000
  const { make, isValid, peek } = tickets([old], () => now)
  const ticket = make('second step', 'hash', 'sécret.text', 60)
  expect(peek(ticket)).toEqual({ text: 'sécret.text', ends: 1_060 })
  expect(make('second step', 'hash', 'sécret.text', 60)).not.toBe(ticket)
  expect(isValid('second step', 'hash', ticket)).toBe(true)
  expect(tickets([young, old], () => now).isValid('second step', 'hash', ticket)).toBe(true)
  expect(tickets([young], () => now).isValid('second step', 'hash', ticket)).toBe(false)
  expect(isValid('add a passkey', 'hash', ticket)).toBe(false)
  expect(isValid('second step', 'other hash', ticket)).toBe(false)
  for (const other of ['', '.', 'a.b.c.d', ticket.slice(0, -1), `x${ticket}`, ticket.replace('.1060.', '.9999.')])
    expect(isValid('second step', 'hash', other), other).toBe(false)
  now = 1_060_000
  expect(isValid('second step', 'hash', ticket)).toBe(false)
})
