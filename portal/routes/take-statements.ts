import { Router } from 'express'
import { ExportFormat, Pseudonyms } from '../../gen/lrs/v1/exports_pb.js'
import { Reason } from '../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../gen/lrs/v1/games_pb.js'
import { endless } from '../core-client.ts'
import { PageFailure } from '../failure.ts'
import { fileKinds, isFileKind, type FileKind } from '../pages/take-statements.ts'
import { sendStream } from '../send-stream.ts'
import { isVerbName } from '../verb-filter.ts'
import { signedIn, uuid, type Portal, type Visit } from '../visit.ts'
import { viewOf } from './data.ts'
import { filterOf, verbsOf } from './statements.ts'

/** Files of the statements of a game. */
export const takeStatements = (portal: Portal): Router =>
  Router().get(
    '/games/:id/statements/take',
    signedIn(portal, async (visit) => {
      const { game } = await visit.core.games.getGame({ gameId: uuid(visit) })
      const { as, request } = await askedFile(visit)
      await sendStream(
        visit.response,
        (response) => response.type(fileKinds[as].type).attachment(fileName(game!, as, request)),
        async function* (signal) {
          for await (const { data } of visit.core.exports.exportStatements(request, { signal, ...endless })) yield data
        },
      )
    }),
  )

const formats: Record<FileKind, ExportFormat> = {
  csv: ExportFormat.CSV,
  ndjson: ExportFormat.NDJSON,
  json: ExportFormat.JSON,
  parquet: ExportFormat.PARQUET,
}
const pseudonyms: Readonly<Record<string, Pseudonyms>> = {
  '': Pseudonyms.NONE,
  export: Pseudonyms.OF_EXPORT,
  game: Pseudonyms.OF_GAME,
}

/** The file that the address asks for. @throws PageFailure */
async function askedFile(visit: Visit) {
  const { query } = visit
  const view = viewOf(visit)
  const as = query('as') || 'csv'
  const learners = pseudonyms[query('learners')]
  if (!isFileKind(as) || learners === undefined)
    throw new PageFailure(Reason.INVALID, 'There is no such file. Choose one on the page of the statements.')
  const verbs = isVerbName(query('verb')) ? await verbsOf(visit, view) : []
  const request = {
    gameId: uuid(visit),
    sandbox: view.sandbox,
    filters: filterOf(visit, verbs),
    form: {
      format: formats[as],
      acceptLanguage: (visit.request.get('accept-language') ?? '').slice(0, 500),
      extensions: query('columns')
        .split(/[\s,]+/)
        .filter((iri) => iri !== ''),
      byteOrderMark: as === 'csv',
      pseudonyms: learners,
      bare: query('bare') !== '',
    },
  }
  return { as, request }
}

/** With the game and the day: `quiz-statements-2026-11-22.csv`. */
function fileName(game: Game, as: FileKind, { sandbox, form }: { sandbox: boolean; form: { pseudonyms: Pseudonyms } }) {
  const { slug, name } = game.summary!
  const called =
    slug ||
    name
      .toLowerCase()
      .replaceAll(/[^a-z\d]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') ||
    'game'
  const kind = `${sandbox ? '-sandbox' : ''}${form.pseudonyms === Pseudonyms.NONE ? '' : '-pseudonyms'}`
  return `${called.slice(0, 80)}${kind}-statements-${new Date().toISOString().slice(0, 10)}.${fileKinds[as].ending}`
}
