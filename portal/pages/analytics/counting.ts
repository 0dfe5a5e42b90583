import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import type { GetCountingResponse } from '../../../gen/lrs/v1/counting_pb.js'
import { cuts } from '../../../shared/limits.ts'
import { html, type Html } from '../../web/html.ts'
import type { Visit } from '../../web/visit.ts'
import { form, submit, type Sent } from '../parts/form.ts'
import { gameLayout } from '../parts/game-layout.ts'
import { zoneField } from '../parts/zone-field.ts'

/** Which form was sent. */
export type Setting = 'zone' | 'start' | 'cut'

/** How times become days of charts, and by what else they can be filtered. */
export function countingPage(
  visit: Visit,
  game: Game,
  { zone, start, cut }: GetCountingResponse,
  { sent = {}, setting, done }: { sent?: Sent; setting?: Setting; done?: string } = {},
): Html {
  const path = `/games/${game.summary!.gameId}/counting`
  const first = start === 0n ? '' : new Date(Number(start) * 1000).toISOString().slice(0, 10)
  const of = (one: Setting): Sent => (setting === one ? sent : {})
  return gameLayout(
    visit,
    game,
    'Days and filters',
    html`
      <section class="card" aria-labelledby="zone"><h2 id="zone">Time zone of the studio</h2>
        <p>A day of a chart begins at midnight in this zone. It holds for all games of the studio.</p>
        ${form(visit, `${path}/zone`, of('zone'), [
          {
            ...zoneField,
            hint: 'Such as Europe/Berlin or UTC.',
            value: zone,
            required: true,
          },
          submit('Set the time zone'),
        ])}</section>
      <section class="card" aria-labelledby="start"><h2 id="start">Start of the game</h2>
        <p>An earlier timestamp comes from a device with a wrong clock. Such a statement counts at the time when it
        arrived.</p>
        ${form(visit, `${path}/start`, of('start'), [
          {
            name: 'start',
            label: 'First day',
            note: 'in UTC; empty: timestamps since the year 2000 count',
            type: 'date',
            value: first,
          },
          submit('Set the start'),
        ])}</section>
      <section class="card" aria-labelledby="cut"><h2 id="cut">Another filter</h2>
        <p>Results can be filtered by build, and by one more property that you choose here, such as the language.
        Two of its values can be compared. After the first ${cuts.values} values, further ones are counted together.</p>
        ${form(visit, `${path}/cut`, of('cut'), [
          {
            name: 'cut',
            label: 'Filter by',
            note: 'empty: by build only',
            hint: html`<code>language</code> or <code>platform</code> of the context of a statement, or the IRI of an
            extension of its context or result.`,
            value: cut,
            maxLength: cuts.iri,
            autocomplete: 'off',
            choices: ['language', 'platform'].map((value) => ({ value, text: '' })),
          },
          submit('Set the filter'),
        ])}</section>`,
    {
      done,
      lead: 'After a change, all statements are counted again. The charts show the earlier counts until that is done.',
      styles: ['game.css'],
    },
  )
}
