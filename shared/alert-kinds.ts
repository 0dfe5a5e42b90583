/** The numbers of the rules of alerts. Days are in the zone of the studio; those of refusals are in UTC. */
export const alertRules = {
  rate: { days: 7, before: 28, attempts: 30, points: 10 },
  stopped: { hours: 72, played: 10, of: 14 },
  refused: { least: 50, times: 4, days: 2, before: 14 },
} as const

const { rate, stopped, refused } = alertRules

/** Kinds of alerts, with their rules in words. */
export const alertKinds = {
  rate: {
    title: 'A rate has changed',
    about:
      `In the last ${rate.days} days, the share of attempts that pass a level differs by ${rate.points} points or more ` +
      `from the ${rate.before} days before. Of a level that says neither passed nor failed, completed attempts count. Both ` +
      `periods have ${rate.attempts} attempts or more, and the 95 % interval of the difference does not contain 0.`,
  },
  stopped: {
    title: 'Statements have stopped',
    about:
      `No statement has arrived for ${stopped.hours} hours. Before that, statements came on ${stopped.played} or more of ` +
      `${stopped.of} days.`,
  },
  refused: {
    title: 'More requests are refused',
    about:
      `Today and yesterday, ${refused.least} or more requests were refused. Per day, that is more than ${refused.times} ` +
      `times as many as on the ${refused.before} days before.`,
  },
} as const satisfies Record<string, { title: string; about: string }>

export type AlertKind = keyof typeof alertKinds

export const isAlertKind = (text: string): text is AlertKind => Object.hasOwn(alertKinds, text)
