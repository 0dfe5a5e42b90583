import type { GameSummary } from '../../../../gen/lrs/v1/games_pb.js'
import { catalogue, minuteSteps, subjects, type Wanted } from '../../../../shared/catalogue.ts'
import { html, type Html } from '../../../web/html.ts'
import type { Form, Visit } from '../../../web/visit.ts'
import { field, select } from '../../parts/form.ts'
import { languageName, subjectName } from '../../parts/game-facts.ts'
import { gameCards } from '../../parts/media.ts'

/** The parameters of the address; what cannot be meant counts as not asked. */
export function wantedIn(query: Form): Wanted {
  const [subject, language] = [query('subject'), query('language')]
  const numberIn = (name: string) => (/^\d{1,3}$/.test(query(name)) ? Number(query(name)) : 0)
  return {
    words: query('words').slice(0, 200),
    subject: subjects.some((one) => one === subject) ? subject : '',
    age: numberIn('age'),
    language: /^[a-z]{2,3}$/.test(language) ? language : '',
    minutes: numberIn('minutes'),
  }
}

export const isAny = (wanted: Wanted): boolean => Object.values(wanted).every((one) => one === '' || one === 0)

/** Languages that can be asked for. */
export const languages =
  'ar bg cs da de el en es et fi fr ga hr hu it ja lt lv mt nl no pl pt ro ru sk sl sv tr uk zh'.split(' ')

/** Finds games. */
export function findForm({ say }: Pick<Visit, 'say'>, wanted: Wanted): Html {
  const any = { value: '', text: say.text('find.any') }
  const byName = (of: readonly { value: string; text: string }[]) => [
    any,
    ...of.toSorted((one, other) => one.text.localeCompare(other.text, say.language)),
  ]
  return html`<form method="get" action="/" role="search" class="card find" aria-label="${say('find.title')}">
        ${field({ name: 'words', label: say.text('find.words'), placeholder: say.text('find.wordsHint'), type: 'search', value: wanted.words, maxLength: 200, note: '' })}
        ${select({
          name: 'subject',
          label: say.text('find.subject'),
          note: '',
          value: wanted.subject,
          of: byName(subjects.map((value) => ({ value, text: subjectName(say, value) }))),
        })}
        ${field({ name: 'age', label: say.text('find.age'), type: 'number', note: '', value: wanted.age === 0 ? '' : String(wanted.age) })}
        ${select({
          name: 'language',
          label: say.text('find.language'),
          note: '',
          value: wanted.language,
          of: byName(languages.map((value) => ({ value, text: languageName(say, value) }))),
        })}
        ${select({
          name: 'minutes',
          label: say.text('find.minutes'),
          note: '',
          value: String(wanted.minutes),
          of: [
            any,
            ...minuteSteps.map((minutes) => ({ value: String(minutes), text: say.text('find.upTo', { minutes }) })),
          ],
        })}
        <div class="actions"><button>${say('find.button')}</button></div></form>`
}

/** What was found. */
export const foundGames = (visit: Pick<Visit, 'say'>, games: GameSummary[], wanted: Wanted): Html => {
  const { say } = visit
  return html`${!isAny(wanted) && html`<p role="status">${say('find.found', { games: games.length })} <a href="/">${say('find.all')}</a></p>`}
        ${games.length > 0 && gameCards(games, say)}
        ${games.length === catalogue.games && html`<p class="hint">${say('find.most', { games: catalogue.games })}</p>`}`
}
