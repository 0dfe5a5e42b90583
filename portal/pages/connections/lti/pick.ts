import type { GameSummary } from '../../../../gen/lrs/v1/games_pb.js'
import type { ListLtiLevelsResponse_Level, PickLtiLinkResponse } from '../../../../gen/lrs/v1/lti_pb.js'
import { html, type Html } from '../../../web/html.ts'
import type { Visit } from '../../../web/visit.ts'
import { field, hidden, select, submit } from '../../parts/form.ts'
import { layout } from '../../parts/layout.ts'
import { cover } from '../../parts/media.ts'
import { inFrame, launchForm } from './begin.ts'

interface Of {
  readonly token: string
  readonly launchId: string
}

/** A teacher picks the game of a link, by its picture. */
export function pickGamePage(visit: Visit, of: Of, games: readonly GameSummary[]): Html {
  const { say } = visit
  return layout(
    visit,
    say.text('platform.pick'),
    launchForm(
      visit,
      '/lti/pick',
      of,
      html`<ul class="grid">${games.map(
        (game) =>
          html`<li class="card game-card">${cover(game)}<div class="text"><h2>${game.name}</h2>${
            game.summary !== '' && html`<p>${game.summary}</p>`
          }<button name="game" value="${game.slug}">${say('platform.pickThis')}<span class="visually-hidden"> ${game.name}</span></button></div></li>`,
      )}</ul><h2>${say('platform.pickClass')}</h2><p>${say('platform.pickClassHint')}</p>
      <p class="actions"><button class="quiet" name="game" value="">${say('platform.pickClassThis')}</button></p>`,
    ),
    { ...inFrame, styles: ['game.css'] },
  )
}

/** What the link asks for. @param game undefined: that of the open lesson of the class */
export function pickLinkPage(
  visit: Visit,
  of: Of,
  game: GameSummary | undefined,
  levels: readonly ListLtiLevelsResponse_Level[],
): Html {
  const { say } = visit
  const any = { value: '', text: say.text('platform.wholeGame') }
  return layout(
    visit,
    game?.name ?? say.text('platform.pickClass'),
    html`<div class="entrance card">${game && cover(game)}<div class="entrance-text">${launchForm(
      visit,
      '/lti/pick/link',
      of,
      html`${hidden('game', game?.slug ?? '')}${field({
        name: 'title',
        label: say.text('platform.linkTitle'),
        value: game?.name ?? say.text('platform.pickClass'),
        required: true,
        maxLength: 100,
      })}${
        game &&
        html`${select({
          name: 'level',
          label: say.text('platform.level'),
          hint: say.text('platform.levelHint'),
          note: '',
          of: [any, ...levels.map(({ id, name }) => ({ value: id, text: name }))],
        })}${field({
          name: 'attempts',
          label: say.text('platform.attempts'),
          hint: say.text('platform.attemptsHint'),
          type: 'number',
          value: '0',
          note: '',
        })}${select({
          name: 'grading',
          label: say.text('platform.grading'),
          value: 'best',
          note: '',
          of: (['first', 'best', 'last'] as const).map((one) => ({ value: one, text: say.text(`platform.${one}`) })),
        })}`
      }${submit(say('platform.makeLink'))}`,
    )}</div></div>`,
    { ...inFrame, styles: ['play.css', 'game.css'] },
  )
}

/** Sends what was picked to the platform. */
export const sendPickPage = (visit: Visit, { returnUrl, jwt }: PickLtiLinkResponse): Html =>
  layout(
    visit,
    visit.say.text('platform.picked'),
    html`<form method="post" action="${returnUrl}" id="lti-send">${hidden('JWT', jwt)}${submit(visit.say('lti.goOn'))}</form>`,
    { ...inFrame, scripts: ['lti.js'] },
  )
