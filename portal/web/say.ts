import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Request, Response } from 'express'
import { IntlMessageFormat } from 'intl-messageformat'
import english from '../texts/en.json' with { type: 'json' }
import { html, type Html } from './html.ts'
import { readCookie, setShortCookie } from './session-cookie.ts'

/** The name of a text in portal/texts. */
export type TextName = keyof typeof english
type Part = string | Html
type Values = Readonly<Record<string, Part | number | bigint | ((parts: Part[]) => Html)>>

/** The texts of one language, in ICU MessageFormat. */
export interface Say {
  /** A text as HTML. Its values are escaped; a function gets what stands between its tags: `<b>…</b>` is there already. */
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

const tags: Values = { b: (parts) => html`<strong>${parts}</strong>` }
const folder = join(import.meta.dirname, '../texts')
const languages = new Map<string, Say>()

/** Adds a language. @param of its texts; those that are missing are English */
export function addLanguage(language: string, of: Partial<Record<TextName, string>>, locale = language): void {
  const formats = new Map<TextName, IntlMessageFormat>()
  const formatOf = (name: TextName): IntlMessageFormat => {
    const known = formats.get(name) ?? new IntlMessageFormat(of[name] ?? english[name], locale)
    formats.set(name, known)
    return known
  }
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const say = (name: TextName, values: Values = {}): Html => {
    const said = formatOf(name).format<Html>({ ...tags, ...values })
    return html`${[said].flat() as Part[]}`
  }
  const said: Say = Object.assign(say, {
    language,
    text: (name: TextName, values?: Readonly<Record<string, string | number | bigint>>) =>
      String(formatOf(name).format(values)),
    time: (seconds: number) => timeOf(said, seconds),
    number: (value: number) => (Math.abs(value) < 1e15 ? numbers.format(Number(value.toFixed(1)) + 0) : String(value)),
  })
  languages.set(language, said)
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

// English first: it is taken where nothing is asked for
for (const file of ['en.json', ...readdirSync(folder).filter((name) => name !== 'en.json')])
  addLanguage(file.replace('.json', ''), JSON.parse(readFileSync(join(folder, file), 'utf8')) as typeof english)

export const inEnglish = languages.get('en')!
export const isText = (name: string): name is TextName => Object.hasOwn(english, name)
export const allLanguages = (): Say[] => [...languages.values()]

/** The language that the visitor chose, else the best of the header Accept-Language, else English. */
export function sayTo(request: Request, isHttps: boolean): Say {
  const wanted = request.acceptsLanguages([...languages.keys()])
  return languages.get(readCookie(request, 'language', isHttps)) ?? languages.get(wanted || 'en') ?? inEnglish
}

const yearMs = 365 * 24 * 3600 * 1000

/** The browser keeps the language that the visitor chose; one that there is not is not kept. */
export function keepLanguage(response: Response, isHttps: boolean, language: string): void {
  if (languages.has(language)) setShortCookie(response, 'language', isHttps, language, yearMs)
}
