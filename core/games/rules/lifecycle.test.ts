import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  allowed,
  betaRefusal,
  edited,
  events,
  isDeletable,
  isInReview,
  isPlayable,
  next,
  states,
  submitted,
  transitions,
  type CredentialState,
  type Event,
  type Life,
  type State,
} from './lifecycle.ts'

/** Of each state the builds that a game can have there. */
const builds: Record<State, readonly Pick<Life, 'live' | 'staged'>[]> = {
  draft: [
    { live: false, staged: false },
    { live: false, staged: true },
  ],
  'in-review': [
    { live: false, staged: true },
    { live: true, staged: false },
    { live: true, staged: true },
  ],
  rejected: [{ live: false, staged: true }],
  published: [{ live: true, staged: false }],
  // without a staged build it is the page that was changed
  'update-staged': [
    { live: true, staged: false },
    { live: true, staged: true },
  ],
  'update-in-review': [
    { live: true, staged: false },
    { live: true, staged: true },
  ],
  'update-rejected': [
    { live: true, staged: false },
    { live: true, staged: true },
  ],
  withdrawn: [
    { live: true, staged: false },
    { live: true, staged: true },
  ],
}
const lives: Life[] = states.flatMap((state) => builds[state].map((has) => ({ state, ...has })))

/** What the builds are after an event: what core/games/command does with them. */
function after(life: Life, event: Event, state: State): Life {
  if (event === 'stage') return { ...life, state, staged: true }
  if (event === 'approve') return { state, live: true, staged: false }
  return { ...life, state }
}

describe('the table', () => {
  test('is the one of docs/lifecycle.md', () => {
    const rows = [
      ...readFileSync(new URL('../../../docs/lifecycle.md', import.meta.url), 'utf8').matchAll(
        /^\| ([a-z-]+) \|(.*)\|$/gm,
      ),
    ]
    const cells = rows.map(([, state, rest]) => [state!, rest!.split('|').map((cell) => cell.trim())] as const)
    expect(cells[0]).toEqual(['state', events])
    const written = states.map((state) => {
      const to = (event: Event) => transitions[state][event] ?? ''
      return [
        state,
        events.map((event) =>
          ((way) => (typeof way === 'string' ? way : `${way.first} (again: ${way.again})`))(to(event)),
        ),
      ]
    })
    expect(cells.slice(1)).toEqual(written)
  })

  const cases: [Life, Partial<Record<Event, State>>][] = [
    [{ state: 'draft', live: false, staged: false }, { stage: 'draft' }],
    [
      { state: 'draft', live: false, staged: true },
      { stage: 'draft', submit: 'in-review' },
    ],
    [
      { state: 'in-review', live: false, staged: true },
      { approve: 'published', reject: 'rejected', withdraw: 'draft' },
    ],
    [
      { state: 'in-review', live: true, staged: false },
      { approve: 'published', reject: 'withdrawn', withdraw: 'withdrawn' },
    ],
    [
      { state: 'in-review', live: true, staged: true },
      { approve: 'published', reject: 'withdrawn', withdraw: 'withdrawn' },
    ],
    [
      { state: 'rejected', live: false, staged: true },
      { stage: 'draft', submit: 'in-review' },
    ],
    [
      { state: 'published', live: true, staged: false },
      { stage: 'update-staged', withdraw: 'withdrawn' },
    ],
    [
      { state: 'update-staged', live: true, staged: false },
      { stage: 'update-staged', submit: 'update-in-review', withdraw: 'withdrawn' },
    ],
    [
      { state: 'update-staged', live: true, staged: true },
      { stage: 'update-staged', submit: 'update-in-review', withdraw: 'withdrawn' },
    ],
    [
      { state: 'update-in-review', live: true, staged: false },
      { approve: 'published', reject: 'update-rejected', withdraw: 'update-staged' },
    ],
    [
      { state: 'update-in-review', live: true, staged: true },
      { approve: 'published', reject: 'update-rejected', withdraw: 'update-staged' },
    ],
    [
      { state: 'update-rejected', live: true, staged: false },
      { stage: 'update-staged', submit: 'update-in-review', withdraw: 'withdrawn' },
    ],
    [
      { state: 'update-rejected', live: true, staged: true },
      { stage: 'update-staged', submit: 'update-in-review', withdraw: 'withdrawn' },
    ],
    [
      { state: 'withdrawn', live: true, staged: false },
      { stage: 'withdrawn', submit: 'in-review' },
    ],
    [
      { state: 'withdrawn', live: true, staged: true },
      { stage: 'withdrawn', submit: 'in-review' },
    ],
  ]
  test('has a case for every life that there is', () => expect(cases.map(([life]) => life)).toEqual(lives))
  test.each(cases)('%j', (life, expected) => {
    for (const event of events) {
      const step = next(life, event)
      if (expected[event] !== undefined) expect(step, event).toEqual({ state: expected[event] })
      else expect(step, event).toEqual({ refused: expect.stringMatching(/^[A-Z].+[.]$/) })
    }
  })

  test('leads to lives that there are, and to all of them from a new draft', () => {
    const key = (life: Life) => JSON.stringify([life.state, life.live, life.staged])
    const known = new Set(lives.map(key))
    const reached = new Map<string, Life>()
    const follow = (life: Life): void => {
      expect(known).toContain(key(life))
      if (reached.has(key(life))) return
      reached.set(key(life), life)
      for (const event of events) {
        const step = next(life, event)
        if ('state' in step) follow(after(life, event, step.state))
      }
      for (const changed of [true, false]) follow({ ...life, state: edited(life, changed) })
    }
    follow({ state: 'draft', live: false, staged: false })
    expect(reached.size).toBe(lives.length)
  })
})

describe('what follows from it', () => {
  test('learners play the live build of published games, and only those', () => {
    expect(states.filter(isPlayable)).toEqual(['published', 'update-staged', 'update-in-review', 'update-rejected'])
    for (const life of lives) if (isPlayable(life.state)) expect(life.live).toBe(true)
  })

  test('decisions are taken on what is in review, and on nothing else', () => {
    for (const life of lives) {
      expect('state' in next(life, 'approve')).toBe(isInReview(life.state))
      expect('state' in next(life, 'reject')).toBe(isInReview(life.state))
    }
  })

  test('only what was never published is deleted', () => {
    expect(lives.filter(isDeletable).map(({ state, staged }) => [state, staged])).toEqual([
      ['draft', false],
      ['draft', true],
      ['rejected', true],
    ])
  })

  test('the staged build is submitted before the live one', () => {
    expect([
      submitted({ live: true, staged: true }),
      submitted({ live: true, staged: false }),
      submitted({ live: false, staged: false }),
    ]).toEqual(['staged', 'live', undefined])
  })

  const edits: [State, boolean, boolean, State][] = [
    ['draft', false, true, 'draft'],
    ['in-review', true, true, 'in-review'],
    ['published', false, true, 'update-staged'],
    ['published', false, false, 'published'],
    ['update-staged', false, false, 'published'],
    ['update-staged', true, false, 'update-staged'],
    ['update-in-review', false, true, 'update-in-review'],
    ['update-in-review', false, false, 'published'],
    ['update-in-review', true, false, 'update-in-review'],
    ['update-rejected', false, true, 'update-staged'],
    ['update-rejected', false, false, 'published'],
    ['update-rejected', true, false, 'update-rejected'],
    ['withdrawn', false, true, 'withdrawn'],
  ]
  test.each(edits)('%s (staged %j) whose page was edited (differs %j) is %s', (state, staged, changed, expected) => {
    expect(edited({ state, live: true, staged }, changed)).toBe(expected)
  })

  const offers: [State, CredentialState, boolean, boolean, string][] = [
    ['draft', 'none', false, false, 'delete upload'],
    ['draft', 'none', false, true, 'submit delete upload sandbox'],
    ['in-review', 'none', false, true, 'withdraw sandbox'],
    ['rejected', 'none', false, true, 'submit delete upload sandbox'],
    ['published', 'unseen', true, false, 'withdraw upload sandbox reveal'],
    ['published', 'revealed', true, false, 'withdraw upload sandbox rotate'],
    ['update-staged', 'revealed', true, true, 'submit withdraw upload sandbox rotate'],
    ['update-in-review', 'revealed', true, true, 'withdraw sandbox rotate'],
    ['withdrawn', 'revealed', true, false, 'submit upload sandbox rotate'],
  ]
  test.each(offers)('%s with the secret %s (live %j, staged %j): %s', (state, credential, live, staged, expected) => {
    expect(allowed({ state, live, staged }, credential).join(' ')).toBe(expected)
  })

  test('others can get a link to the beta when the game was approved once and is public', () => {
    for (const state of states) {
      expect(betaRefusal({ state, live: true }) === undefined, state).toBe(isPlayable(state))
      expect(betaRefusal({ state, live: false }), state).toMatch(/Nobody has approved the game yet/)
    }
    expect(betaRefusal({ state: 'withdrawn', live: true })).toMatch(/is not public now/)
  })

  test('a beta can be promoted where a build can be staged; a kept build can be live again where one can be played', () => {
    for (const state of states) {
      const life = { state, live: true, staged: false }
      const can = allowed(life, 'none', { beta: true, kept: true })
      expect(can.includes('promote'), state).toBe('state' in next(life, 'stage'))
      expect(can.includes('roll-back'), state).toBe(isPlayable(state))
    }
    expect(allowed({ state: 'published', live: true, staged: false }, 'none')).toEqual([
      'withdraw',
      'upload',
      'sandbox',
    ])
  })
})
