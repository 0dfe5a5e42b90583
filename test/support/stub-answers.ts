import type { MessageInitShape } from '@bufbuild/protobuf'
import type { GetAnswersResponseSchema } from '../../gen/lrs/v1/answers_pb.js'
import type {
  ListAlternativesResponseSchema,
  ListCompletablesResponseSchema,
  ListProgressResponseSchema,
  ListReachablesResponseSchema,
  ListTargetsResponseSchema,
} from '../../gen/lrs/v1/serious_games_pb.js'

/** What core answers about a game of four levels, in which players get stuck in the third one. */
const levels = ['Moon', 'Mars', 'Saturn and its rings', 'To the stars'].map((name, at) => ({
  activityId: `https://g.example/levels/${at + 1}`,
  name: `Level ${at + 1}: ${name}`,
}))
const big = (values: readonly number[]): bigint[] => values.map(BigInt)
const distribution = (count: number, median: number, exact = true) => ({
  count: BigInt(count),
  mean: median * 1.2,
  firstQuartile: median * 0.6,
  median,
  thirdQuartile: median * 1.7,
  exact,
  bins: big([1, 2, 3, 5, 9, 14, 6, 3, 1, 0, 0]),
})

export const answers = (build?: number): MessageInitShape<typeof GetAnswersResponseSchema> => ({
  complete: true,
  cut: 'https://games.example/device',
  cutValues: [
    { number: 2_345_678, name: 'phone', people: 21n },
    { number: 2_000_000, name: 'Not told', people: 9n },
  ],
  builds: [
    { number: 3, name: 'Build 3', uploaded: 1_763_700_000n, people: 30n },
    { number: 2, name: 'Build 2', uploaded: 1_763_000_000n, people: 24n },
    { number: 0, name: 'Build not known', people: 2n },
  ],
  people: 54n,
  newPeople: 48n,
  funnel: {
    people: 48n,
    levels: levels.map((level, at) => ({
      ...level,
      started: BigInt([46, 40, 31, 12][at]!),
      completed: BigInt([42, 35, 14, 11][at]!),
    })),
  },
  levels: {
    levels: levels.map((level, at) => ({
      ...level,
      attempts: BigInt([52, 60, 85, 14][at]!),
      completed: BigInt([44, 41, 20, 12][at]!),
      passed: BigInt((build === 2 ? [20, 32, 13, 11] : [40, 36, 14, 11])[at]!),
      failed: BigInt([4, 12, 48, 1][at]!),
      unfinished: BigInt([6, 9, 20, 1][at]!),
      abandoned: BigInt([6, 9, 20, 1][at]!),
      firstTries: BigInt([44, 38, 30, 12][at]!),
      firstCompleted: BigInt([38, 27, 8, 11][at]!),
      firstPassed: BigInt((build === 2 ? [15, 20, 4, 10] : [35, 24, 5, 10])[at]!),
      firstFailed: BigInt([4, 10, 20, 1][at]!),
      seconds: distribution([46, 51, 65, 13][at]!, [75, 130, 340, 210][at]!, at !== 2),
      scores: { ...distribution([44, 48, 62, 12][at]!, 0), ...scores[at]! },
    })),
  },
  leaving: {
    people: 26n,
    until: '2026-11-15',
    levels: levels.map((level, at) => ({
      ...level,
      during: BigInt([2, 3, 11, 1][at]!),
      after: BigInt([1, 2, 3, 0][at]!),
    })),
    beforeAny: 3n,
  },
  sessions: { sessions: 44n, seconds: distribution(44, 260) },
  returns: {
    cohorts: Array.from({ length: 20 }, (_, at) => ({
      day: new Date(Date.UTC(2026, 9, 25 + at)).toISOString().slice(0, 10),
      people: BigInt(2 + (at % 4)),
      after1: BigInt(at % 3),
      ...(at < 16 ? { after7: BigInt(at % 2) } : {}),
    })),
    days: Array.from({ length: 31 }, (_, after) => ({
      after,
      people: BigInt(Math.max(0, 48 - after * 2)),
      returned: BigInt(Math.round(Math.max(0, 48 - after * 2) * (after === 0 ? 1 : 0.5 / Math.sqrt(after)))),
    })),
  },
  help: {
    people: [5, 3].map((attempts) => ({
      agent: JSON.stringify({ account: { homePage: 'https://g.example', name: `learner-${attempts}` } }),
      name: `Pia ${attempts}`,
      lastSeen: 1_763_700_000_000_000n,
      activityId: levels[2]!.activityId,
      level: levels[2]!.name,
      attempts,
    })),
  },
  rejections: {
    count: 9n,
    builds: [
      { number: 3, name: 'Build 3', count: 8n },
      { number: 2, name: 'Build 2', count: 1n },
    ],
    rejections: [
      {
        build: 3,
        reason: 'INVALID',
        status: 400,
        request: 'POST /xapi/statements',
        path: 'statements[].result.score.scaled',
        message: 'statements[4].result.score.scaled: must be -1 to 1',
        count: 8n,
        last: 1_763_700_000n,
      },
      { build: 2, reason: 'OTHER', count: 1n, last: 1_763_700_000n },
    ],
  },
})
const scores = [
  { firstQuartile: 0.75, median: 0.9, thirdQuartile: 1 },
  { firstQuartile: 0.5, median: 0.75, thirdQuartile: 0.9 },
  { firstQuartile: 0.2, median: 0.35, thirdQuartile: 0.6 },
  { firstQuartile: 0.6, median: 0.7, thirdQuartile: 0.85 },
]

const counted = { complete: true, behind: 0n, more: false }
const activity = (name: string, type: string) => ({ activityId: `https://g.example/${name}`, name, type })

export const alternatives = (): MessageInitShape<typeof ListAlternativesResponseSchema> => ({
  counted,
  alternatives: [
    {
      activity: activity('How many moons does Mars have?', 'question'),
      chosen: 40n,
      players: 36n,
      right: 15n,
      wrong: 25n,
      options: [
        { response: 'two', name: 'Two', chosen: 15n, right: 15n },
        { response: 'one', name: 'One', chosen: 14n, wrong: 14n },
        { response: 'none', name: 'None', chosen: 9n, wrong: 9n },
      ],
      other: { chosen: 2n },
    },
    {
      activity: activity('What are the rings of Saturn made of?', 'question'),
      chosen: 31n,
      players: 30n,
      right: 26n,
      wrong: 5n,
      options: [
        { response: 'ice', name: 'Ice and rock', chosen: 26n, right: 26n },
        { response: 'gas', name: 'Gas', chosen: 5n, wrong: 5n },
      ],
    },
    {
      activity: activity('Choose a ship', 'menu'),
      chosen: 52n,
      players: 48n,
      unlocked: 12n,
      unlockedBy: 12n,
      options: [
        { response: 'comet', name: 'Comet', chosen: 30n },
        { response: 'tortoise', name: 'Tortoise', chosen: 22n, unlocked: 12n },
      ],
    },
  ],
})
export const completables = (): MessageInitShape<typeof ListCompletablesResponseSchema> => ({
  counted,
  completables: levels.slice(0, 3).map((level, at) => ({
    activity: { ...level, type: 'level' },
    progressed: 120n,
    players: BigInt(46 - at * 8),
    latest: big([2, 2, 1, 3, 3, 2, 2, 2, 3, 4, 22 - at * 8]),
    highest: big([1, 2, 1, 2, 3, 2, 2, 2, 3, 4, 24 - at * 8]),
  })),
})
export const progress = (): MessageInitShape<typeof ListProgressResponseSchema> => ({
  counted,
  activity: { ...levels[2]!, type: 'level' },
  players: ['Amara', 'Ben', 'Chiara', 'Deniz', 'Elif', 'Finn', 'Grace'].map((name, at) => ({
    actor: JSON.stringify({ account: { homePage: 'https://l.example/', name } }),
    name,
    latest: Math.min(1, at * 0.15),
    highest: Math.min(1, 0.1 + at * 0.17),
    day: '2026-11-20',
    progressed: BigInt(3 + at),
  })),
})
export const reachables = (): MessageInitShape<typeof ListReachablesResponseSchema> => ({
  counted,
  reachables: [
    { activity: activity('Opening', 'cutscene'), accessed: 60n, skipped: 41n, accessedBy: 48n, skippedBy: 30n },
    { activity: activity('Star map', 'screen'), accessed: 130n, skipped: 0n, accessedBy: 46n, skippedBy: 0n },
    { activity: activity('Crater', 'zone'), accessed: 44n, skipped: 3n, accessedBy: 40n, skippedBy: 3n },
  ],
})
export const targets = (): MessageInitShape<typeof ListTargetsResponseSchema> => ({
  counted,
  targets: [
    { activity: activity('Telescope', 'item'), used: 80n, interacted: 12n, usedBy: 40n, interactedBy: 9n },
    { activity: activity('Robot', 'non-player-character'), used: 0n, interacted: 51n, usedBy: 0n, interactedBy: 33n },
    { activity: activity('Meteor', 'enemy'), used: 0n, interacted: 31n, usedBy: 0n, interactedBy: 20n },
  ],
})
