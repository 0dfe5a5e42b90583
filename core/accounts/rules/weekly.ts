import { changeOf } from '../../../shared/overview-rules.ts'
import type { Week } from '../../analytics/rules/week.ts'
import { daysOf } from '../../analytics/rules/when.ts'
import { excerpt } from '../../process/rules/text.ts'

const quarter = 15 * 60 * 1000
const hour = 4 * quarter
const day = 24 * hour
/** Hours after midnight at which the mail is sent. */
const morning = 7

/** The next Monday morning in a zone, in milliseconds: not today. */
export function nextMonday(now: number, zone: string): number {
  const dayOf = daysOf(zone)
  const today = dayOf(now)
  // day 4 was a Monday
  const monday = today + 7 - ((((today - 4) % 7) + 7) % 7)
  // clocks differ from UTC by 14 hours at most
  let midnight = monday * day - 14 * hour
  while (dayOf(midnight) < monday) midnight += quarter
  return midnight + morning * hour
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/** A week of a game in three sentences, which name no learner. */
export function sentences({ players, playersBefore, stuck, needHelp, moreHelp, refused }: Week): string {
  const change = changeOf(players, playersBefore)
  const trend =
    change === undefined
      ? 'nobody played in the week before'
      : change === 0
        ? 'as many as in the week before'
        : `${Math.abs(change)} % ${change > 0 ? 'more' : 'fewer'} than in the week before`
  const open = stuck ? stuck.started - stuck.completed : 0
  const place = !stuck
    ? 'No new player started a level.'
    : open === 0
      ? 'Every new player who started a level completed it.'
      : `New players are stuck most often in “${excerpt(stuck.name, 80)}”: ${open.toLocaleString('en')} of the ` +
        `${stuck.started.toLocaleString('en')} who started it have not completed it.`
  const help = `${counted(needHelp, 'player')}${moreHelp ? ' or more' : ''} ${needHelp === 1 ? 'needs' : 'need'} help`
  const refusals = `${counted(refused, 'request')} ${refused === 1 ? 'was' : 'were'} refused.`
  return `${counted(players, 'player')}, ${trend}. ${place} ${help}, and ${refusals}`
}
