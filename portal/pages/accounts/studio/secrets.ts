import type { Game } from '../../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { SignedIn } from '../../../web/visit.ts'
import { moment } from '../../parts/amount.ts'
import { layout, studioTabs } from '../../parts/layout.ts'
import { table } from '../../parts/table.ts'

/** The games of a studio whose servers have a secret, and since when: for after a member has left. */
export const secretsPage = (visit: SignedIn, games: readonly Game[], done: string | undefined): Html =>
  layout(
    visit,
    'Secrets of games',
    games.length === 0
      ? html`<div class="card empty"><h2>None yet</h2><p>A game gets a key and a secret when a reviewer approves
      it.</p></div>`
      : table(
          'Secrets of games',
          ['Game', 'Secret since', 'Change'],
          games.map(({ summary, credential }) => [
            html`<a href="/games/${summary!.gameId}/credential">${summary!.name}</a>`,
            moment(credential!.rotated || credential!.created),
            html`<a class="button quiet small" href="/games/${summary!.gameId}/credential/rotate">New
            secret…<span class="visually-hidden"> for ${summary!.name}</span></a>`,
          ]),
        ),
    {
      done,
      tabs: studioTabs(visit, '/studio/members'),
      styles: ['game.css'],
      lead:
        'A person who has seen the secret of a game can use it until you make a new one, also after leaving the ' +
        'studio. A new secret ends the old one at once, so put it into the settings of your server right away.',
    },
  )
