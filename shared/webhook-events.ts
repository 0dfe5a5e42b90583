/** Types of events that webhooks tell of, with what they mean, for pages and the command line. */
export const webhookEvents = {
  'statements.stored': 'Learners have sent statements. They come in batches.',
  'build.uploaded': 'A build was uploaded, checked and unpacked.',
  'build.rolled_back': 'A replaced build is live again.',
  'build.refused': 'An upload broke a rule and was deleted.',
  'review.submitted': 'The game was submitted for review.',
  'review.approved': 'A reviewer has approved the game: page and build are published.',
  'review.rejected': 'A reviewer asks for changes.',
  'game.withdrawn': 'The game, or its submission, was withdrawn.',
  'quota.nearly_used': 'A quota of the studio or of the game is nearly used up.',
  'alert.raised': 'A rate has changed, statements have stopped, or more requests are refused.',
  'learner.erased': 'A learner was erased. Erase what you have of this learner.',
} as const satisfies Record<string, string>

export type WebhookEvent = keyof typeof webhookEvents

/** Also what the test button sends. */
export type SentEvent = WebhookEvent | 'webhook.test'

export const isWebhookEvent = (text: string): text is WebhookEvent => Object.hasOwn(webhookEvents, text)

/** The type whose deliveries are ranges of the order. */
export const statementsStored = 'statements.stored' satisfies WebhookEvent
