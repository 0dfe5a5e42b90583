/** Where a game can be in its life (docs/lifecycle.md has this table for people). */
export const states = [
  'draft',
  'in-review',
  'rejected',
  'published',
  'update-staged',
  'update-in-review',
  'update-rejected',
  'withdrawn',
] as const
export type State = (typeof states)[number]

/** What can happen to it. `stage`: a build was checked and waits to be submitted. */
export const events = ['stage', 'submit', 'approve', 'reject', 'withdraw'] as const
export type Event = (typeof events)[number]

/** The facts that the rules use. A withdrawn game keeps its live build, so a game with a live build was published once. */
export interface Life {
  readonly state: State
  /** It has a live build. */
  readonly live: boolean
  /** It has a staged build. */
  readonly staged: boolean
}

/** Where each event leads; `again`: of a game that was published before. What is not here does not happen. */
export const transitions: Record<
  State,
  Partial<Record<Event, State | { readonly first: State; readonly again: State }>>
> = {
  draft: { stage: 'draft', submit: 'in-review' },
  'in-review': {
    approve: 'published',
    reject: { first: 'rejected', again: 'withdrawn' },
    withdraw: { first: 'draft', again: 'withdrawn' },
  },
  rejected: { stage: 'draft', submit: 'in-review' },
  published: { stage: 'update-staged', withdraw: 'withdrawn' },
  'update-staged': { stage: 'update-staged', submit: 'update-in-review', withdraw: 'withdrawn' },
  'update-in-review': { approve: 'published', reject: 'update-rejected', withdraw: 'update-staged' },
  'update-rejected': { stage: 'update-staged', submit: 'update-in-review', withdraw: 'withdrawn' },
  withdrawn: { stage: 'withdrawn', submit: 'in-review' },
}

/** Where the event leads, or a sentence that says why it cannot happen now and what to do. */
export function next(life: Life, event: Event): { readonly state: State } | { readonly refused: string } {
  const to = transitions[life.state][event]
  if (to === undefined) return { refused: refusal(life.state, event) }
  if (event === 'submit' && !submitted(life)) return { refused: 'There is no build to review: upload one first.' }
  return { state: typeof to === 'string' ? to : life.live ? to.again : to.first }
}

/**
 * The state of a game after a change of its page. A change of a published page is an update, like a staged build;
 * without either there is nothing to review. @param changed the draft differs from the accepted page
 */
export function edited({ state, staged }: Life, changed: boolean): State {
  if (!isPlayable(state)) return state
  if (!changed && !staged) return 'published'
  return changed && (state === 'published' || state === 'update-rejected') ? 'update-staged' : state
}

/** Which build a submission is about, and which one a sandbox session runs: the staged one, else the live one. */
export const submitted = ({ live, staged }: Omit<Life, 'state'>): 'staged' | 'live' | undefined =>
  staged ? 'staged' : live ? 'live' : undefined

/** Whether learners can start the live build. */
export const isPlayable = (state: State): boolean => state === 'published' || state.startsWith('update-')

/** Why people who are no members may not play the beta; undefined: they may, as soon as they have a link. */
export function betaRefusal({ state, live }: Pick<Life, 'state' | 'live'>): string | undefined {
  if (!live) return 'Nobody has approved the game yet: a link to its beta needs a first approval. Submit it for review.'
  return isPlayable(state) ? undefined : 'The game is not public now: a link to its beta works only while it is.'
}

/** Whether it waits for a decision. */
export const isInReview = (state: State): boolean => state === 'in-review' || state === 'update-in-review'

/** Never published and not being looked at: then nothing of it is in use, and no statement can be lost. */
export const isDeletable = ({ state, live }: Life): boolean => !live && (state === 'draft' || state === 'rejected')

/** Of the game's credential: `unseen` until its secret has been shown. */
export type CredentialState = 'none' | 'unseen' | 'revealed'

const actions = [
  'submit',
  'withdraw',
  'discard',
  'delete',
  'upload',
  'sandbox',
  'reveal',
  'rotate',
  'promote',
  'roll-back',
] as const
export type Action = (typeof actions)[number]

/** What else the actions depend on. */
export interface Besides {
  /** The draft differs from the accepted page. */
  readonly changed?: boolean
  /** It has a beta build. */
  readonly beta?: boolean
  /** Replaced builds are kept. */
  readonly kept?: boolean
}

/** The actions of its studio in this state. */
export function allowed(
  life: Life,
  credential: CredentialState,
  { changed = false, beta = false, kept = false }: Besides = {},
): Action[] {
  const can: Record<Action, boolean> = {
    submit: 'state' in next(life, 'submit'),
    withdraw: 'state' in next(life, 'withdraw'),
    discard: changed,
    delete: isDeletable(life),
    upload: 'state' in next(life, 'stage'),
    sandbox: submitted(life) !== undefined,
    reveal: credential === 'unseen',
    rotate: credential === 'revealed',
    promote: beta && 'state' in next(life, 'stage'),
    'roll-back': kept && isPlayable(life.state),
  }
  return actions.filter((action) => can[action])
}

function refusal(state: State, event: Event): string {
  if (event === 'stage') return 'The game is in review. Withdraw it from review, then upload another build.'
  if (event === 'approve' || event === 'reject')
    return 'The game is not waiting for review: it was decided or withdrawn in the meantime.'
  if (event === 'submit')
    return isInReview(state)
      ? 'The game is in review already.'
      : 'There is nothing new to review: upload another build or change its page first.'
  return state === 'withdrawn'
    ? 'The game is withdrawn already.'
    : 'The game is not public: there is nothing to withdraw.'
}
