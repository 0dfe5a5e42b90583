import { levels } from '../../examples/quiz/levels.js'

/** A game of the serious-games profile (https://w3id.org/xapi/seriousgames): what a session of it sends. */
export interface Played {
  /** IRI of the game. */
  readonly game: string
  readonly registration: string
  /** When it begins. */
  readonly began: Date
  /** How many levels the player tries. */
  readonly count: number
  /** Makes sessions differ. */
  readonly seed: number
}

const adl = 'http://adlnet.gov/expapi/verbs/'
const profile = 'https://w3id.org/xapi/seriousgames'
const type = (name: string) => `${profile}/activity-types/${name}`

export function sessionOf({ game, registration, began, count, seed }: Played): object[] {
  let time = began.getTime()
  const does = (verb: string, id: string, name: string, kind: string, result?: object, more?: object) => {
    time += 4_000 + ((seed * 7 + time) % 9) * 1_000
    const [space, end] = verb.includes('/') ? ['', verb] : [adl, verb]
    return {
      verb: { id: space + end, display: { en: end.split('/').at(-1)! } },
      object: { id, definition: { name: { en: name }, type: kind.includes(':') ? kind : type(kind), ...more } },
      result,
      context: { registration, contextActivities: { category: [{ id: profile }] } },
      timestamp: new Date(time).toISOString(),
    }
  }
  const own = (verb: string) => `${profile}/verbs/${verb}`
  const ship = seed % 3 === 0 ? 'comet' : 'tortoise'
  const choices = ['comet', 'tortoise'].map((id) => ({
    id,
    description: { en: id === 'comet' ? 'The Comet' : 'The Tortoise' },
  }))
  const opening = [
    does('initialized', game, 'Star Trail', 'serious-game'),
    does(own('accessed'), `${game}/opening`, 'The opening', 'cutscene'),
    ...(seed % 5 < 3
      ? [does('http://id.tincanapi.com/verb/skipped', `${game}/opening`, 'The opening', 'cutscene')]
      : []),
    does(
      own('selected'),
      `${game}/ships`,
      'Choose a ship',
      'menu',
      { response: ship },
      { interactionType: 'choice', choices },
    ),
    does(own('accessed'), `${game}/map`, 'The star map', 'screen'),
  ]
  const played = levels.slice(0, count).flatMap(({ name, questions }, at) => {
    const id = `${game}/levels/${at + 1}`
    const level = `Level ${at + 1}: ${name}`
    // the second level is the hard one
    const isStuck = (seed * 5 + at) % (at === 1 ? 3 : 11) < (at === 1 ? 2 : 1)
    const right = questions.map(
      (_, question) => (seed * 31 + at * 17 + question * 13) % 10 >= (at === 1 ? 5 : question),
    )
    const scaled = Math.round((right.filter(Boolean).length / questions.length) * 100) / 100
    const start = time
    // each statement takes its time when it is made: in the order in which the list has them
    const begun = does('initialized', id, level, 'level')
    const things = [
      does(own('used'), `${game}/telescope`, 'The telescope', 'item'),
      ...(seed % 2 ? [does('interacted', `${game}/robot`, 'Rover, the robot', 'non-player-character')] : []),
    ]
    const answered = questions
      .slice(0, isStuck ? 1 + (seed % 3) : questions.length)
      .flatMap(({ text, choices }, question) => {
        time += ((seed + question * 3) % 7) * (at === 1 ? 15_000 : 5_000)
        const ids = choices.map((description, choice) => ({ id: String(choice), description: { en: description } }))
        const wrong = 1 + ((seed + question) % 3 === 0 ? 1 : 0)
        return [
          does(
            'answered',
            `${id}/questions/${question + 1}`,
            text,
            'http://adlnet.gov/expapi/activities/cmi.interaction',
            {
              success: right[question],
              response: right[question] ? '0' : String(wrong),
            },
            { interactionType: 'choice', choices: ids },
          ),
          does('progressed', id, level, 'level', {
            extensions: { [`${profile}/extensions/progress`]: Math.min(1, (question + 1) / questions.length) },
          }),
        ]
      })
    const ended = isStuck
      ? []
      : [
          does('completed', id, level, 'level', {
            completion: true,
            success: scaled >= 0.5,
            score: { scaled },
            duration: `PT${Math.round((time - start) / 1000)}S`,
          }),
        ]
    return [begun, ...things, ...answered, ...ended]
  })
  return [...opening, ...played, does('terminated', game, 'Star Trail', 'serious-game')]
}
