import { expect, test } from 'vitest'
import { doneWords } from './activity-words.ts'

test.each([
  ['game.update', true, true, 'changed the texts of'],
  ['game.update', false, true, 'tried to change the texts of'],
  ['account.sign-in', false, false, 'tried to sign in'],
  ['account.sign-in', true, false, 'signed in'],
  ['game.create', true, true, 'made a game:'],
  ['game.create', false, false, 'tried to make a game'],
  ['game.submit', true, true, 'submitted for review:'],
  ['account.use-password-link', true, true, 'set a password by mail of'],
  ['account.use-address-link', true, true, 'verified the address'],
  ['account.sign-in-by-passkey', true, false, 'signed in with a passkey'],
  ['of.tomorrow', true, true, 'did of.tomorrow'],
])('%s, ok %s, named %s: %s', (action, isOk, isNamed, text) => {
  expect(doneWords(action, isOk, isNamed)).toBe(text)
})
