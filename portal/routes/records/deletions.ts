import type { Router } from 'express'
import type { Failure } from '../../../gen/lrs/v1/failure_pb.js'
import { deletionsPage, isChosen } from '../../pages/records/deletions.ts'
import { slow } from '../../web/core-client.ts'
import { routes } from '../../web/routes.ts'
import { sendStream } from '../../web/send-stream.ts'
import { notice, uuid, type Form, type Portal, type Visit } from '../../web/visit.ts'
import { viewOf } from '../parts/data-view.ts'
import { gameOf } from '../parts/game-of.ts'
import { filterOf } from './statement-filter.ts'
import { namedIn } from './statements.ts'
import { isVerbName } from './verb-filter.ts'

/** Deletion of statements that were sent by mistake. */
export const deletions = (portal: Portal): Router =>
  routes(portal)
    .owner(
      'GET /games/:id/deletions',
      (visit) => ask(visit, visit.query),
      (visit, { failure }) => show(visit, { values: visit.query, failure }),
    )
    .owner(
      'POST /games/:id/deletions',
      async (visit) => {
        const { form } = visit
        if (form('through') === '') return ask(visit, form)
        const of = await chosen(visit, form)
        const [through, statements] = [BigInt(numberIn(form('through'))), Number(numberIn(form('statements')))]
        await visit.core.deletions.startDeletion({ of, through, statements, reason: form('reason') }, slow)
        return `/games/${uuid(visit)}/deletions?done=begun`
      },
      (visit, sent) => ask(visit, visit.form, sent.failure).catch(() => show(visit, sent)),
    )
    .owner('GET /games/:id/deletions/:deletion/ids', async (visit) => {
      const of = { deletionId: uuid(visit, 'deletion'), forwardId: visit.query('forward') }
      await sendStream(
        visit.response,
        (response) => response.type('text/plain').attachment(`deleted-${of.deletionId}.txt`),
        async function* (signal) {
          for await (const { ids } of visit.core.deletions.listDeletedIds(of, { ...slow, signal }))
            yield Buffer.from(ids.map((id) => `${id}\n`).join(''))
        },
      )
    })

const numberIn = (text: string): string => (/^\d{1,16}$/.test(text) ? text : '0')

/** @throws PageFailure */
async function chosen(visit: Visit, query: Form) {
  const verbs = isVerbName(query('verb')) ? (await namedIn(visit, viewOf({ ...visit, query }))).verbs : []
  const ids = query('ids').split(/[\s,]+/)
  return {
    gameId: uuid(visit),
    sandbox: query('from') === 'sandbox',
    filters: filterOf({ ...visit, query }, verbs),
    ids: ids.filter((id) => id !== ''),
  }
}

/** Counts what was chosen, and asks. @param failure why it was not deleted */
async function ask(visit: Visit, values: Form, failure?: Failure) {
  if (!isChosen(values)) return show(visit, { values, failure })
  const found = await visit.core.deletions.previewDeletion({ of: await chosen(visit, values) }, slow)
  return show(visit, { values, failure, found })
}

async function show(visit: Visit, asked: Omit<Parameters<typeof deletionsPage>[3], 'done'>) {
  const done = notice(visit, { begun: 'It has begun.' })
  const [game, { deletions }] = await Promise.all([
    gameOf(visit),
    visit.core.deletions.listDeletions({ gameId: uuid(visit) }),
  ])
  return deletionsPage(visit, game, deletions, { ...asked, done })
}
