import type { Router } from 'express'
import { GameState, Orientation, type Game, type GameSummary } from '../../../gen/lrs/v1/games_pb.js'
import type { GameDays } from '../../../gen/lrs/v1/insights_pb.js'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import { PageFailure } from '../../web/failure.ts'
import { html, type Html } from '../../web/html.ts'
import { changesPage } from '../../pages/games/game-changes.ts'
import { confirmPage, editPage, submitPage, textsPage } from '../../pages/games/game-edit.ts'
import { isInReview, isLive } from '../../pages/parts/game-state.ts'
import { mediaPage } from '../../pages/games/game-files.ts'
import { checklistPage } from '../../pages/games/checklist.ts'
import { buildsPage } from '../../pages/games/game.ts'
import { gamesPage, newGamePage } from '../../pages/games/games.ts'
import { orientations, playerPage } from '../../pages/games/player.ts'
import { uploadPage } from '../../pages/games/upload.ts'
import { usageBars } from '../../pages/parts/usage.ts'
import { lastDays } from '../../pages/parts/data-filters.ts'
import { gameOf, ofGame } from '../parts/game-of.ts'
import type { Sent } from '../../pages/parts/form.ts'
import { routes } from '../../web/routes.ts'
import { notice, uuid, type Portal, type Visit } from '../../web/visit.ts'

/** Notices by the parameter `done` of the address. */
const done: Readonly<Record<string, string>> = {
  created: 'Draft created. Follow these steps.',
  saved: 'Saved.',
  staged: 'The build was checked and is staged. Try it in the sandbox, then submit it.',
  submitted: 'Submitted. Waiting for review.',
  beta: 'The build was checked. It is the beta now: members of the studio can play it.',
  'rolled-back': 'Rolled back. Players who start the game now get this build.',
  withdrawn: 'Withdrawn.',
  discarded: 'Upload discarded. Its storage is free again.',
  'changes-discarded': 'Changes discarded.',
  moved: 'Image moved.',
  removed: 'File removed.',
  deleted: 'Game deleted.',
  joined: 'You are a member now.',
}
const doneIn = (visit: Visit): string | undefined =>
  notice(visit, { ...done, switched: `You work for ${visit.account?.studio?.name} now.` })
/** Nothing can be submitted without a summary. */
const stagedOnly =
  'The build was checked and is staged. Try it in the sandbox. Before you can submit it, the game needs a summary.'
const doneOn = (visit: Visit, { summary }: Game): string | undefined =>
  visit.query('done') === 'staged' && summary!.summary === '' ? stagedOnly : doneIn(visit)

/** The games of a studio, and the forms that change them. */
export function games(portal: Portal): Router {
  return routes(portal)
    .signedIn('GET /games', async (visit) => {
      const [{ games }, { usage }] = await Promise.all([visit.core.games.listGames({}), visit.core.quotas.getUsage({})])
      return gamesPage(visit, games, await weeksOf(visit, games), usageBars(usage), doneIn(visit))
    })
    .developer(
      'POST /games',
      async ({ core, form }) =>
        `/games/${(await core.games.createGame({ name: form('name') })).gameId}/checklist?done=created`,
      newGamePage,
    )
    .developer('GET /games/new', (visit) => newGamePage(visit))
    .developer('GET /games/:id/builds', async (visit) => {
      const game = await gameOf(visit)
      return buildsPage(visit, game, doneOn(visit, game))
    })
    .developer('GET /games/:id/checklist', async (visit) => checklistPage(visit, await gameOf(visit), doneIn(visit)))
    .developer('GET /games/:id/media', async (visit) => mediaPage(visit, await gameOf(visit), { done: doneIn(visit) }))
    .developer('GET /games/:id/edit', async (visit) => editPage(visit, await gameOf(visit), { done: doneIn(visit) }))
    .developer(
      'POST /games/:id/edit',
      async (visit) => {
        const { core, form } = visit
        await core.games.updateGame({
          gameId: uuid(visit),
          name: form('name'),
          summary: form('summary'),
          description: form('description'),
          consent: form('consent'),
          facts: {
            subject: form('subject'),
            ageFrom: numberIn(form('age_from')),
            ageTo: numberIn(form('age_to')),
            minutes: numberIn(form('minutes')),
            languages: wordsIn(form('languages')),
            textLanguage: form('text_language').trim(),
          },
        })
        return `/games/${uuid(visit)}/edit?done=saved`
      },
      ofGame(editPage),
    )
    .developer('GET /games/:id/texts', async (visit) =>
      textsPage(visit, await gameOf(visit), languageIn(visit.query('language'))),
    )
    .developer(
      'POST /games/:id/texts',
      async (visit) => {
        const { core, form } = visit
        const texts = {
          language: form('language'),
          summary: form('summary'),
          description: form('description'),
          consent: form('consent'),
        }
        await core.games.setGameText({ gameId: uuid(visit), texts })
        return `/games/${uuid(visit)}/edit?done=saved`
      },
      async (visit, sent) => textsPage(visit, await gameOf(visit), languageIn(visit.form('language')), sent),
    )
    .developer('GET /games/:id/player', async (visit) =>
      playerPage(visit, await gameOf(visit), { done: doneIn(visit) }),
    )
    .developer(
      'POST /games/:id/player',
      async (visit) => {
        const { core, form } = visit
        const orientation = orientations[form('orientation')] ?? Orientation.UNSPECIFIED
        const gameId = uuid(visit)
        const embed = wordsIn(form('embed'))
        const [isolated, devices] = [form('isolated') !== '', form('devices') !== '']
        const player = { isolated, orientation, embed, devices, launchLink: form('launch_link') }
        await core.games.setPlayer({ gameId, player })
        return `/games/${gameId}/player?done=saved`
      },
      ofGame(playerPage),
    )
    .developer('GET /games/:id/upload', async (visit) => {
      const gameId = uuid(visit)
      const [game, { uploads }] = await Promise.all([gameOf(visit), visit.core.uploads.listUploads({ gameId })])
      return uploadPage(visit, game, uploads, doneIn(visit))
    })
    .developer('GET /games/:id/submit', ofGame(submitPage))
    .developer(
      'POST /games/:id/submit',
      async (visit) => {
        await visit.core.games.submitForReview({ gameId: uuid(visit), message: visit.form('message') })
        return `/games/${uuid(visit)}/builds?done=submitted`
      },
      ofGame(submitPage),
    )
    .developer('GET /games/:id/changes', ofGame(changesPage))
    .developer(
      'POST /games/:id/changes/discard',
      async (visit) => {
        await visit.core.games.discardChanges({ gameId: uuid(visit) })
        return `/games/${uuid(visit)}/builds?done=changes-discarded`
      },
      ofGame(changesPage),
    )
    .developer('GET /games/:id/withdraw', ofGame(withdrawPage))
    .developer(
      'POST /games/:id/withdraw',
      async (visit) => {
        // the state that the question was about: a decision in the meantime is not undone by accident
        const state = Number(visit.form('state'))
        await visit.core.games.withdraw({
          gameId: uuid(visit),
          state: GameState[state] === undefined ? GameState.UNSPECIFIED : state,
        })
        return `/games/${uuid(visit)}/builds?done=withdrawn`
      },
      ofGame(withdrawPage),
    )
    .developer('GET /games/:id/delete', ofGame(deletePage))
    .developer(
      'POST /games/:id/delete',
      async (visit) => {
        await visit.core.games.deleteGame({ gameId: uuid(visit) })
        return '/games?done=deleted'
      },
      ofGame(deletePage),
    )
    .developer(
      'POST /games/:id/files/:file',
      async (visit) => {
        await visit.core.games.describeFile({
          gameId: uuid(visit),
          fileId: uuid(visit, 'file'),
          text: visit.form('text'),
        })
        return `/games/${uuid(visit)}/media?done=saved`
      },
      async (visit, { failure }) =>
        mediaPage(visit, await gameOf(visit), {
          describing: { failure, fileId: uuid(visit, 'file'), values: visit.form },
        }),
    )
    .developer('POST /games/:id/files/:file/earlier', move(false))
    .developer('POST /games/:id/files/:file/later', move(true))
    .developer('POST /games/:id/files/:file/remove', async (visit) => {
      await visit.core.games.removeFile({ gameId: uuid(visit), fileId: uuid(visit, 'file') })
      return `/games/${uuid(visit)}/media?done=removed`
    })
}

/** A language tag in its canonical form. @throws PageFailure */
function languageIn(text: string): string {
  try {
    const [tag] = Intl.getCanonicalLocales(text.trim().slice(0, 35))
    if (tag !== undefined) return tag
  } catch {
    // no tag
  }
  throw new PageFailure(Reason.INVALID, 'This is no language tag such as de, fr or pt-BR.')
}

const wordsIn = (text: string): string[] => text.split(/[\s,]+/).filter((one) => one !== '')

/** 0: empty; what is no number is more than core takes, so core says what is wrong. */
const numberIn = (text: string): number => (text === '' ? 0 : /^\d{1,6}$/.test(text) ? Number(text) : 1e6)

/** Games of a list that show what happened in them. */
const mostWeeks = 12

/** The last week of the games that were changed last; none if core does not count them. */
async function weeksOf({ core }: Visit, games: readonly GameSummary[]): Promise<Map<string, GameDays>> {
  const gameIds = games
    .filter(({ state }) => isLive(state))
    .slice(0, mostWeeks)
    .map(({ gameId }) => gameId)
  if (gameIds.length === 0) return new Map()
  const counted = await core.insights.listGameDays({ gameIds, ...lastDays(7) }).catch(() => undefined)
  return new Map(counted?.games.map((days) => [days.gameId, days]))
}

const move = (later: boolean) => async (visit: Visit) => {
  const fileId = uuid(visit, 'file')
  await visit.core.games.moveFile({ gameId: uuid(visit), fileId, later })
  return `/games/${uuid(visit)}/media?done=moved#file-${fileId}`
}

function withdrawPage(visit: Visit, game: Game, sent?: Sent): Html {
  const { gameId, state } = game.summary!
  const text = isInReview(state)
    ? html`<p>This withdraws the game from review. You can submit it again at any time.</p>`
    : html`<p>Players can no longer start the game, and its public page disappears. Running sessions
      continue to their end.
        The credential and all data stay. You can submit the game for review again.</p>`
  return confirmPage(visit, game, {
    title: 'Withdraw',
    button: isInReview(state) ? 'Withdraw from review' : 'Withdraw the game',
    action: `/games/${gameId}/withdraw`,
    text: html`${text}<input type="hidden" name="state" value="${state}">`,
    sent,
  })
}

function deletePage(visit: Visit, game: Game, sent?: Sent): Html {
  const { gameId, name } = game.summary!
  const text = html`<p>This deletes the draft <strong>${name}</strong> with its builds, images and documents. It cannot
      be undone.</p>`
  return confirmPage(visit, game, {
    title: 'Delete',
    button: 'Delete the game',
    action: `/games/${gameId}/delete`,
    text,
    sent,
  })
}
