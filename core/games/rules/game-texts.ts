import { primaryOf, usualLanguage } from './catalogue.ts'

/** What a game says in one language; empty: what its page says. */
export interface Texts {
  readonly summary: string
  readonly description: string
  readonly consent: string
}

/** Texts of a page in its own language, and in others by language. */
export interface TextsOfPage extends Texts {
  readonly facts: { readonly textLanguage?: string }
  readonly texts: Readonly<Record<string, Partial<Texts>>>
}

const languageOf = ({ textLanguage = usualLanguage }: TextsOfPage['facts']): string => textLanguage

/** The first of the wanted languages that there is, with or without its region, else the first one. */
export function chooseLanguage(there: readonly string[], wanted: readonly string[]): string {
  for (const tag of wanted) {
    const found = there.find((one) => one === tag) ?? there.find((one) => primaryOf(one) === primaryOf(tag))
    if (found !== undefined) return found
  }
  return there[0]!
}

/**
 * The texts for a visitor who reads these languages, the best first. A text that is missing is that of the page; where
 * the page asks for no consent, no language does.
 */
export function textsFor<Page extends Partial<TextsOfPage> & Pick<TextsOfPage, 'facts' | 'texts'>>(
  page: Page,
  wanted: readonly string[],
): Page & { readonly textLanguage: string } {
  const own = languageOf(page.facts)
  const textLanguage = chooseLanguage([own, ...Object.keys(page.texts)], wanted)
  const given = textLanguage === own ? {} : page.texts[textLanguage]!
  const isSaid = (name: string) => name in page && (name !== 'consent' || page.consent !== '')
  const said = Object.fromEntries(Object.entries(given).filter(([name, text]) => text !== '' && isSaid(name)))
  return { ...page, ...said, textLanguage }
}
