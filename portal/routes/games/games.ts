import { Router } from 'express'
import { GameState, Orientation, type Game } from '../../../gen/lrs/v1/games_pb.js'
import { html, type Html } from '../../web/html.ts'
import { changesPage } from '../../pages/games/game-changes.ts'
import { confirmPage, editPage, submitPage } from '../../pages/games/game-edit.ts'
import { isInReview } from '../../pages/parts/game-state.ts'
import { mediaPage } from '../../pages/games/game-files.ts'
import { checklistPage } from '../../pages/games/game-steps.ts'
import { gamePage } from '../../pages/games/game.ts'
import { gamesPage, newGamePage } from '../../pages/games/games.ts'
import { orientations, playerPage } from '../../pages/games/player.ts'
import { uploadPage } from '../../pages/games/upload.ts'
import { usageBars } from '../../pages/parts/usage.ts'
import { gameOf } from '../parts/game-of.ts'
import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import {
  developer,
  isDeveloper,
  refused,
  seeOther,
  signedIn,
  uuid,
  type Portal,
  type SignedIn,
  type Visit,
} from '../../web/visit.ts'

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
const doneIn = ({ query, account }: Visit): string | undefined =>
  query('done') === 'switched' && account?.studio
    ? `You work for ${account.studio.name} now.`
    : Object.hasOwn(done, query('done'))
      ? done[query('done')]
      : undefined
/** Nothing can be submitted without a summary. */
const stagedOnly =
  'The build was checked and is staged. Try it in the sandbox. Before you can submit it, the game needs a summary.'
const doneOn = (visit: Visit, { summary }: Game): string | undefined =>
  visit.query('done') === 'staged' && summary!.summary === '' ? stagedOnly : doneIn(visit)

/** The games of a studio, and the forms that change them. */
export function games(portal: Portal): Router {
  const change = (
    perform: (visit: SignedIn) => Promise<string>,
    again: (visit: SignedIn, failure: Failure) => Promise<Html> | Html,
  ) =>
    developer(portal, async (visit) => {
      try {
        seeOther(visit, await perform(visit))
      } catch (error) {
        return again(visit, refused(visit, error))
      }
    })
  const move = (later: boolean) =>
    developer(portal, async (visit) => {
      const fileId = uuid(visit, 'file')
      await visit.core.games.moveFile({ gameId: uuid(visit), fileId, later })
      seeOther(visit, `/games/${uuid(visit)}/media?done=moved#file-${fileId}`)
    })

  return Router()
    .get(
      '/games',
      signedIn(portal, async (visit) => {
        const [{ games }, { usage }] = await Promise.all([
          visit.core.games.listGames({}),
          visit.core.quotas.getUsage({}),
        ])
        return gamesPage(visit, games, usageBars(usage), doneIn(visit))
      }),
    )
    .post(
      '/games',
      change(
        async ({ core, form }) =>
          `/games/${(await core.games.createGame({ name: form('name') })).gameId}/checklist?done=created`,
        (visit, failure) => newGamePage(visit, { failure, values: visit.form }),
      ),
    )
    .get(
      '/games/new',
      developer(portal, (visit) => newGamePage(visit)),
    )
    .get(
      '/games/:id',
      signedIn(portal, async (visit) => {
        if (!isDeveloper(visit)) return seeOther(visit, `/games/${uuid(visit)}/data`)
        const game = await gameOf(visit)
        return gamePage(visit, game, doneOn(visit, game))
      }),
    )
    .get(
      '/games/:id/checklist',
      developer(portal, async (visit) => checklistPage(visit, await gameOf(visit), doneIn(visit))),
    )
    .get(
      '/games/:id/media',
      developer(portal, async (visit) => mediaPage(visit, await gameOf(visit), { done: doneIn(visit) })),
    )
    .get(
      '/games/:id/edit',
      developer(portal, async (visit) => editPage(visit, await gameOf(visit))),
    )
    .post(
      '/games/:id/edit',
      change(
        async (visit) => {
          const { core, form } = visit
          await core.games.updateGame({
            gameId: uuid(visit),
            name: form('name'),
            summary: form('summary'),
            description: form('description'),
            consent: form('consent'),
          })
          return `/games/${uuid(visit)}?done=saved`
        },
        async (visit, failure) => editPage(visit, await gameOf(visit), { failure, values: visit.form }),
      ),
    )
    .get(
      '/games/:id/player',
      developer(portal, async (visit) => playerPage(visit, await gameOf(visit), { done: doneIn(visit) })),
    )
    .post(
      '/games/:id/player',
      change(
        async (visit) => {
          const { core, form } = visit
          const orientation = orientations[form('orientation')] ?? Orientation.UNSPECIFIED
          const gameId = uuid(visit)
          const embed = form('embed')
            .split(/\s+/)
            .filter((one) => one !== '')
          await core.games.setPlayer({ gameId, player: { isolated: form('isolated') !== '', orientation, embed } })
          return `/games/${gameId}/player?done=saved`
        },
        async (visit, failure) => playerPage(visit, await gameOf(visit), { failure, values: visit.form }),
      ),
    )
    .get(
      '/games/:id/upload',
      developer(portal, async (visit) => {
        const gameId = uuid(visit)
        const [game, { uploads }] = await Promise.all([gameOf(visit), visit.core.uploads.listUploads({ gameId })])
        return uploadPage(visit, game, uploads, doneIn(visit))
      }),
    )
    .get(
      '/games/:id/submit',
      developer(portal, async (visit) => submitPage(visit, await gameOf(visit))),
    )
    .post(
      '/games/:id/submit',
      change(
        async (visit) => {
          await visit.core.games.submitForReview({ gameId: uuid(visit), message: visit.form('message') })
          return `/games/${uuid(visit)}?done=submitted`
        },
        async (visit, failure) => submitPage(visit, await gameOf(visit), { failure, values: visit.form }),
      ),
    )
    .get(
      '/games/:id/changes',
      developer(portal, async (visit) => changesPage(visit, await gameOf(visit))),
    )
    .post(
      '/games/:id/changes/discard',
      change(
        async (visit) => {
          await visit.core.games.discardChanges({ gameId: uuid(visit) })
          return `/games/${uuid(visit)}?done=changes-discarded`
        },
        async (visit, failure) => changesPage(visit, await gameOf(visit), failure),
      ),
    )
    .get(
      '/games/:id/withdraw',
      developer(portal, async (visit) => withdrawPage(visit, await gameOf(visit))),
    )
    .post(
      '/games/:id/withdraw',
      change(
        async (visit) => {
          // the state that the question was about: a decision in the meantime is not undone by accident
          const state = Number(visit.form('state'))
          await visit.core.games.withdraw({
            gameId: uuid(visit),
            state: GameState[state] === undefined ? GameState.UNSPECIFIED : state,
          })
          return `/games/${uuid(visit)}?done=withdrawn`
        },
        async (visit, failure) => withdrawPage(visit, await gameOf(visit), failure),
      ),
    )
    .get(
      '/games/:id/delete',
      developer(portal, async (visit) => deletePage(visit, await gameOf(visit))),
    )
    .post(
      '/games/:id/delete',
      change(
        async (visit) => {
          await visit.core.games.deleteGame({ gameId: uuid(visit) })
          return '/games?done=deleted'
        },
        async (visit, failure) => deletePage(visit, await gameOf(visit), failure),
      ),
    )
    .post(
      '/games/:id/files/:file',
      change(
        async (visit) => {
          await visit.core.games.describeFile({
            gameId: uuid(visit),
            fileId: uuid(visit, 'file'),
            text: visit.form('text'),
          })
          return `/games/${uuid(visit)}/media?done=saved`
        },
        async (visit, failure) =>
          mediaPage(visit, await gameOf(visit), {
            describing: { failure, fileId: uuid(visit, 'file'), values: visit.form },
          }),
      ),
    )
    .post('/games/:id/files/:file/earlier', move(false))
    .post('/games/:id/files/:file/later', move(true))
    .post(
      '/games/:id/files/:file/remove',
      developer(portal, async (visit) => {
        await visit.core.games.removeFile({ gameId: uuid(visit), fileId: uuid(visit, 'file') })
        seeOther(visit, `/games/${uuid(visit)}/media?done=removed`)
      }),
    )
}

function withdrawPage(visit: Visit, game: Game, failure?: Failure): Html {
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
    failure,
  })
}

function deletePage(visit: Visit, game: Game, failure?: Failure): Html {
  const { gameId, name } = game.summary!
  const text = html`<p>This deletes the draft <strong>${name}</strong> with its builds, images and documents. It cannot
      be undone.</p>`
  return confirmPage(visit, game, {
    title: 'Delete',
    button: 'Delete the game',
    action: `/games/${gameId}/delete`,
    text,
    failure,
  })
}
