import { textsIn, type TextName } from '../../../shared/texts.ts'
import type { NoticeText, Said } from '../store/notices.ts'

type MailName = TextName extends infer Name ? (Name extends `mail.${infer Of}Action` ? Of : never) : never

/** The words of a notice in a language. */
export function wordsOf({ name, values }: Said, language: string): Pick<NoticeText, 'title' | 'lines' | 'action'> {
  const text = (part: '' | 'Lines' | 'Action') =>
    String(textsIn(language)(`mail.${name}${part}` as TextName).format(values))
  return { title: text(''), lines: text('Lines').split('\n'), action: text('Action') }
}

/** A notice from the catalogue of texts: English in the portal, in the language of its reader in a mail. */
export function fromCatalogue(name: MailName, path: string, values: Said['values'] = {}): NoticeText {
  const says = { name, values }
  return { ...wordsOf(says, 'en'), path, says }
}
