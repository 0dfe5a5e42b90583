import { expect, test } from 'vitest'
import { chooseLanguage, textsFor } from './game-texts.ts'

test.each([
  [['en', 'de'], ['de-AT', 'en'], 'de'],
  [['en', 'pt-BR', 'pt'], ['pt'], 'pt'],
  [['en', 'pt-BR'], ['pt-PT'], 'pt-BR'],
  [['en', 'de'], ['fr', 'de'], 'de'],
  [['en', 'de'], ['fr'], 'en'],
  [['en', 'de'], [], 'en'],
])('of %j a visitor who reads %j gets %s', (there, wanted, language) => {
  expect(chooseLanguage(there, wanted)).toBe(language)
})

const page = {
  summary: 'Short',
  description: 'Long',
  consent: 'Agree',
  facts: {},
  texts: { de: { summary: 'Kurz', description: '', consent: 'Zustimmen' }, fr: { summary: 'Court' } },
}

test('a text that is missing in the language is that of the page', () => {
  expect(textsFor(page, ['de'])).toMatchObject({
    ...page,
    summary: 'Kurz',
    consent: 'Zustimmen',
    textLanguage: 'de',
  })
  expect(textsFor(page, ['fr'])).toMatchObject({ summary: 'Court', consent: 'Agree' })
  expect(textsFor({ ...page, consent: '' }, ['de'])).toMatchObject({ summary: 'Kurz', consent: '' })
  // English is the language of a page that names none
  expect(textsFor(page, ['en', 'de'])).toEqual({ ...page, textLanguage: 'en' })
  expect(textsFor({ ...page, facts: { textLanguage: 'da' } }, ['en', 'da', 'de'])).toMatchObject({
    summary: 'Short',
    textLanguage: 'da',
  })
})

test('a list has no more texts than it had', () => {
  const { summary, facts, texts } = page
  expect(Object.keys(textsFor({ summary, facts, texts }, ['de']))).toEqual([
    'summary',
    'facts',
    'texts',
    'textLanguage',
  ])
})
