import type { Request, Response } from 'express'
import { addTexts, allTexts, textsIn, type TextName } from '../../shared/texts.ts'
import { html, type Html } from './html.ts'
import { readCookie, setShortCookie } from './session-cookie.ts'

export type { TextName }
type Part = string | Html
type Values = Readonly<Record<string, Part | number | bigint | ((parts: Part[]) => Html)>>

/** The texts of one language, in ICU MessageFormat. */
export interface Say {
  /** A text as HTML. Its values are escaped; a function is a tag and gets what is inside it; `<b>` and `<hidden>` are built in. */
  (name: TextName, values?: Values): Html
  /** A text without tags, still to be escaped. */
  text(name: TextName, values?: Readonly<Record<string, string | number | bigint>>): string
  /** Seconds as `2 min 5 s`. */
  time(seconds: number): string
  /** With at most one decimal. */
  number(value: number): string
  /** BCP 47. */
  readonly language: string
}

const tags: Values = {
  b: (parts) => html`<strong>${parts}</strong>`,
  hidden: (parts) => html`<span class="visually-hidden">${parts}</span>`,
}
const languages = new Map<string, Say>()

/** Adds a language; returns how to remove it. A text that is missing is English. */
export function addLanguage(language: string, texts: Partial<Record<TextName, string>>, locale = language): () => void {
  const removeTexts = addTexts(language, texts, locale)
  languages.set(language, sayIn(language, locale))
  return () => {
    removeTexts()
    languages.delete(language)
  }
}

function sayIn(language: string, locale = language): Say {
  const formatOf = textsIn(language)
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const say = (name: TextName, values: Values = {}): Html => {
    const parts = formatOf(name).format<Html>({ ...tags, ...values })
    return html`${[parts].flat() as Part[]}`
  }
  const inLanguage: Say = Object.assign(say, {
    language,
    text: (name: TextName, values?: Readonly<Record<string, string | number | bigint>>) =>
      String(formatOf(name).format(values)),
    time: (seconds: number) => timeOf(inLanguage, seconds),
    number: (value: number) => (Math.abs(value) < 1e15 ? numbers.format(Number(value.toFixed(1)) + 0) : String(value)),
  })
  return inLanguage
}

function timeOf(say: Say, seconds: number): string {
  if (seconds < 10) return say.text('time.short', { seconds: say.number(seconds) })
  const whole = Math.round(seconds)
  return say
    .text('time.long', {
      days: Math.floor(whole / 86_400),
      hours: Math.floor(whole / 3_600) % 24,
      minutes: Math.floor(whole / 60) % 60,
      seconds: whole % 60,
    })
    .trim()
}

for (const language of allTexts()) languages.set(language, sayIn(language))

export const inEnglish = languages.get('en')!
export const allLanguages = (): Say[] => [...languages.values()]

/** The language that the visitor chose, else the best of the header Accept-Language, else English. */
export function sayTo(request: Request, isHttps: boolean): Say {
  const wanted = request.acceptsLanguages([...languages.keys()])
  return languages.get(readCookie(request, 'language', isHttps)) ?? languages.get(wanted || 'en') ?? inEnglish
}

/** The languages that the visitor reads, the best first. */
export function languagesOf(request: Request, isHttps: boolean): string[] {
  const chosen = readCookie(request, 'language', isHttps)
  const read = languages.has(chosen) ? [chosen, ...request.acceptsLanguages()] : request.acceptsLanguages()
  return read.filter((tag) => /^[a-z]{2,3}\b[\w-]{0,32}$/i.test(tag)).slice(0, 20)
}

const yearMs = 365 * 24 * 3600 * 1000

/** The browser keeps the language that the visitor chose; an unknown one is not kept. */
export function keepLanguage(response: Response, isHttps: boolean, language: string): void {
  if (languages.has(language)) setShortCookie(response, 'language', isHttps, language, yearMs)
}
