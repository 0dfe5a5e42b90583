import type { Forward } from '../../../gen/lrs/v1/forwards_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { Webhook } from '../../../gen/lrs/v1/webhooks_pb.js'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { forwardsSection } from './forwards.ts'
import { webhooksSection } from './webhooks.ts'

/** The systems that hear of what a game stores. */
export interface Connected {
  readonly forwards: readonly Forward[]
  readonly webhooks: readonly Webhook[]
  readonly done?: string | undefined
}

/** All connections of a game, a section for each kind. */
export const connectionsPage = (visit: Visit, game: Game, { forwards, webhooks, done }: Connected): Html =>
  gameLayout(
    visit,
    game,
    'Connections',
    html`${forwardsSection(visit, game, forwards)}${webhooksSection(visit, game, webhooks)}`,
    {
      done,
      styles: ['connections.css'],
      lead: html`Other systems that get what this game stores: <a href="/docs/forwarding">forwards</a> send statements on,
      <a href="/docs/webhooks">webhooks</a> call your server.`,
    },
  )
