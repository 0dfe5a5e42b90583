import { create } from '@bufbuild/protobuf'
import { GameFactsSchema, type GameFacts } from '../../../gen/lrs/v1/games_pb.js'
import { isText } from '../../../shared/texts.ts'
import type { Say } from '../../web/say.ts'

/** The name of a language, in the language of the visitor. */
export const languageName = (say: Say, tag: string): string =>
  new Intl.DisplayNames([say.language], { type: 'language' }).of(tag) ?? tag

export const subjectName = (say: Say, subject: string): string => {
  const name = `subject.${subject}`
  return isText(name) ? say.text(name) : subject
}

/** What a game says of itself, each with its label. */
export function factsOfGame(say: Say, facts: GameFacts = create(GameFactsSchema)): [label: string, text: string][] {
  const { subject, ageFrom: from, ageTo: to, languages: spoken, minutes } = facts
  const between = from === to ? 'find.ageOnly' : 'find.ages'
  const ages = from > 0 && to > 0 ? between : from > 0 ? 'find.agesFrom' : 'find.agesTo'
  const said: [string, string | false][] = [
    [say.text('find.subject'), subject !== '' && subjectName(say, subject)],
    [say.text('find.age'), from + to > 0 && say.text(ages, { from, to })],
    [say.text('find.language'), spoken.map((tag) => languageName(say, tag)).join(', ')],
    [say.text('find.minutes'), minutes > 0 && say.text('find.takes', { minutes })],
  ]
  return said.filter((one): one is [string, string] => one[1] !== false && one[1] !== '')
}
