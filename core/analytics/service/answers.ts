import { AnswerPart, AnswerService } from '../../../gen/lrs/v1/answers_pb.js'
import { getAnswers, type Answered } from '../query/answers.ts'
import { dayName } from '../query/range-of-days.ts'
import type { Answers, Build, Named, Part } from '../store/cell/answers.ts'
import type { Distribution } from '../store/cell/distributions.ts'
import { isWholeGame } from '../rules/attempts.ts'
import { nothingCounted } from '../rules/counted.ts'
import { countedOf } from './counted.ts'
import { notTold, otherValues } from '../rules/cut.ts'
import { mostHelped, mostLevels, returnDays } from '../rules/facts/sums.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads } from '../../process/methods/audit-entries.ts'
import { studioOf } from '../../process/methods/developer.ts'

const partNames: ReadonlyMap<AnswerPart, Part> = new Map([
  [AnswerPart.FUNNEL, 'funnel'],
  [AnswerPart.LEVELS, 'levels'],
  [AnswerPart.LEAVING, 'leaving'],
  [AnswerPart.SESSIONS, 'sessions'],
  [AnswerPart.RETURNS, 'returns'],
  [AnswerPart.REJECTIONS, 'rejections'],
  [AnswerPart.HELP, 'help'],
])

export const answerService = service(AnswerService, {
  getAnswers: method(
    { right: 'analyst', token: 'read', audit: reads },
    async (core, { gameId, from, to, sandbox, build, parts }, context) => {
      const studio = await studioOf(core, context)
      const asked = parts.length === 0 ? [...partNames.keys()].filter((part) => part !== AnswerPart.HELP) : parts
      const wanted = new Set(asked.flatMap((part) => partNames.get(part) ?? []))
      const answered = await getAnswers(core, studio, { gameId, from, to, sandbox, build, parts: wanted })
      return messageOf(answered, wanted, gameId)
    },
  ),
})

const none: Answers = {
  ...nothingCounted,
  today: 0,
  builds: [],
  cut: null,
  cutValues: [],
  people: 0,
  teams: 0,
  newPeople: 0,
  funnel: [],
  levels: [],
  leaving: { levels: [], people: 0, beforeAny: 0 },
  sessions: { sessions: 0, times: { count: 0, mean: 0, quartiles: [], exact: true, bars: [] } },
  returns: { cohorts: [], after: new Map() },
  help: [],
  rejections: { builds: [], kinds: [] },
}

function messageOf(answered: Answered, parts: ReadonlySet<Part>, gameId: string) {
  const answers = answered.answers ?? none
  const builds = new Map(answers.builds.map((build) => [build.number, build]))
  const part = <T>(name: Part, made: () => T): T | undefined => (parts.has(name) ? made() : undefined)
  const place = ({ iri, name, type, contains }: Named) => ({
    activityId: iri,
    name,
    wholeGame: isWholeGame(iri, type, contains, gameId),
  })
  return {
    ...countedOf(answers),
    builds: answers.builds.map((build) => ({ ...build, name: nameOfBuild(build.number, build) })),
    cut: answers.cut ?? '',
    cutValues: answers.cutValues.map((value) => ({ ...value, name: nameOfValue(value.number, value.name) })),
    people: answers.people,
    teams: answers.teams,
    newPeople: answers.newPeople,
    funnel: part('funnel', () => ({
      people: answers.newPeople,
      levels: answers.funnel.slice(0, mostLevels).map((level) => ({ ...level, ...place(level) })),
      more: answers.funnel.length > mostLevels,
    })),
    levels: part('levels', () => ({
      levels: answers.levels.slice(0, mostLevels).map((level) => ({
        ...level,
        ...place(level),
        unfinished: level.abandoned,
        seconds: distributionOf(level.times, 1_000),
        scores: distributionOf(level.scores, 1),
      })),
      more: answers.levels.length > mostLevels,
    })),
    leaving: part('leaving', () => leavingOf(answered, answers, place)),
    sessions: part('sessions', () => ({
      sessions: answers.sessions.sessions,
      seconds: distributionOf(answers.sessions.times, 1_000),
    })),
    returns: part('returns', () => returnsOf(answers)),
    help: part('help', () => helpOf(answers)),
    rejections: part('rejections', () => ({
      count: answers.rejections.builds.reduce((sum, { count }) => sum + count, 0),
      builds: answers.rejections.builds.map(({ build, count }) => ({
        number: build,
        name: nameOfBuild(build, builds.get(build)),
        count,
      })),
      rejections: answers.rejections.kinds,
    })),
  }
}

function helpOf({ help }: Answers) {
  return {
    people: help.slice(0, mostHelped).map(({ agent, learner, last, iri, name, attempts }) => ({
      agent,
      name: learner,
      lastSeen: last,
      activityId: iri,
      level: name,
      attempts,
    })),
    more: help.length > mostHelped,
  }
}

const firstRevision = 1_000_000

/** For people. */
function nameOfBuild(number: number, build: Build | undefined): string {
  if (number === 0) return 'Build not known'
  if (number < firstRevision) return `Build ${number}`
  return build?.name || 'Other revisions'
}

/** For people. */
const nameOfValue = (number: number, value: string): string =>
  number === notTold ? 'Not told' : number === otherValues ? 'Other values' : value

/** @param divisor of the unit in which values are stored */
function distributionOf({ count, mean, quartiles, exact, bars }: Distribution, divisor: number) {
  const [firstQuartile, median, thirdQuartile] = quartiles.map((value) => value / divisor)
  return { count, mean: mean / divisor, firstQuartile, median, thirdQuartile, exact, bins: bars }
}

const leavingOf = ({ from, to }: Answered, { leaving, today }: Answers, place: (level: Named) => object) => ({
  people: leaving.people,
  until: Math.min(to, today - 7) < from ? '' : dayName(Math.min(to, today - 7)),
  levels: leaving.levels.slice(0, mostLevels).map((level) => ({
    ...place(level),
    during: level.during,
    after: level.completed,
  })),
  beforeAny: leaving.beforeAny,
  more: leaving.levels.length > mostLevels,
})

function returnsOf({ today, returns }: Answers) {
  const isOver = (day: number, after: number) => day + after < today
  const ifOver = (day: number, after: number, count: number) => (isOver(day, after) ? count : undefined)
  return {
    cohorts: returns.cohorts.map(({ day, people, after1, after7, after30 }) => ({
      day: dayName(day),
      people,
      after1: ifOver(day, 1, after1),
      after7: ifOver(day, 7, after7),
      after30: ifOver(day, 30, after30),
    })),
    days: Array.from({ length: returnDays + 1 }, (_, after) => ({
      after,
      people: returns.cohorts.reduce((sum, { day, people }) => (isOver(day, after) ? sum + people : sum), 0),
      returned: returns.after.get(after) ?? 0,
    })),
  }
}
