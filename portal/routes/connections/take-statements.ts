import type { Router } from 'express'
import { ExportFormat, Pseudonyms, type Export, type StartExportRequestSchema } from '../../../gen/lrs/v1/exports_pb.js'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { Reason } from '../../../gen/lrs/v1/failure_pb.js'
import type { Game } from '../../../gen/lrs/v1/games_pb.js'
import { filterFields } from '../../../shared/statement-filters.ts'
import { endless } from '../../web/core-client.ts'
import { PageFailure } from '../../web/failure.ts'
import { statementFilesPage } from '../../pages/connections/statement-files.ts'
import { fileKinds, filesPath, isFileKind, type FileKind } from '../../pages/records/take-statements.ts'
import { sendStream } from '../../web/send-stream.ts'
import { isVerbName } from '../records/verb-filter.ts'
import { routes } from '../../web/routes.ts'
import { uuid, type Form, type Portal, type Visit } from '../../web/visit.ts'
import { gameOf } from '../parts/game-of.ts'
import { filterOf } from '../records/statement-filter.ts'
import { namedIn } from '../records/statements.ts'

type Asked = Exclude<MessageInitShape<typeof StartExportRequestSchema>, { $typeName: string }> & {
  readonly form: { readonly pseudonyms: Pseudonyms }
}

/** Seconds after which the page of files that are being made asks again. */
const askAgain = 5

/** Files of the statements of a game: sent at once, or made in the background. */
export const takeStatements = (portal: Portal): Router =>
  routes(portal)
    .signedIn('GET /games/:id/statements/take', async (visit) => {
      const game = await gameOf(visit)
      const { as, request } = await askedFile(visit, visit.query)
      const { more } = await visit.core.exports.countExport(request)
      if (more) {
        const fields = Object.fromEntries(fieldNames.map((name) => [name, visit.query(name)]))
        return statementFilesPage(visit, game, [], { fields, text: 'Making such a file takes minutes.' })
      }
      await sendStream(
        visit.response,
        (response) => response.type(fileKinds[as].type).attachment(fileName(game, as, request)),
        async function* (signal) {
          for await (const { data } of visit.core.exports.exportStatements(request, { signal, ...endless })) yield data
        },
      )
    })
    .signedIn('GET /games/:id/statements/files', async (visit) => {
      const [game, { exports }] = await Promise.all([
        gameOf(visit),
        visit.core.exports.listExports({ gameId: uuid(visit) }),
      ])
      if (exports.some(({ ended }) => ended === 0n)) visit.response.set('Refresh', String(askAgain))
      return statementFilesPage(visit, game, exports)
    })
    .signedIn('POST /games/:id/statements/files', async (visit) => {
      const game = await gameOf(visit)
      await visit.core.exports.startExport((await askedFile(visit, visit.form)).request)
      return filesPath(game)
    })
    .signedIn('GET /games/:id/statements/files/:export', async (visit) => {
      const [game, file] = await Promise.all([gameOf(visit), fileOf(visit)])
      const as = kindOf(file)
      if (file.keys.length === 0 && file.ended === 0n)
        throw new PageFailure(Reason.NOT_FOUND, 'This file is not ready yet.')
      // only now: the audit log has who took a file
      await fileOf(visit, true)
      await sendStream(
        visit.response,
        (response) =>
          response
            .type(fileKinds[as].type)
            .attachment(fileName(game, as, { sandbox: file.sandbox, form: file.form! }, Number(file.created))),
        async function* (signal) {
          for (const key of file.keys) {
            const part = await portal.storage.open(key)
            if (!part) throw new PageFailure(Reason.NOT_FOUND, 'This file is not kept any more.')
            for await (const data of await part.read()) {
              signal.throwIfAborted()
              yield data as Buffer
            }
          }
        },
      )
    })
    .signedIn('POST /games/:id/statements/files/:export/remove', async (visit) => {
      const game = await gameOf(visit)
      const { exportId } = await fileOf(visit)
      await visit.core.exports.cancelExport({ exportId })
      return filesPath(game)
    })

/** The export of the address, of the game of the address. */
async function fileOf(visit: Visit, forFile = false): Promise<Export> {
  const { export: file } = await visit.core.exports.getExport({ exportId: uuid(visit, 'export'), forFile })
  if (file?.gameId === uuid(visit)) return file
  throw new PageFailure(Reason.NOT_FOUND, 'There is no such file.')
}

const formats: Record<FileKind, ExportFormat> = {
  csv: ExportFormat.CSV,
  ndjson: ExportFormat.NDJSON,
  json: ExportFormat.JSON,
  parquet: ExportFormat.PARQUET,
}
const kindOf = ({ form }: Export): FileKind =>
  (Object.keys(formats) as FileKind[]).find((kind) => formats[kind] === form?.format) ?? 'ndjson'
const pseudonyms: Readonly<Record<string, Pseudonyms>> = {
  '': Pseudonyms.NONE,
  export: Pseudonyms.OF_EXPORT,
  game: Pseudonyms.OF_GAME,
}
/** What an address or a form says of a file. */
const fieldNames = ['as', 'learners', 'columns', 'bare', 'from', ...filterFields.map(([name]) => name)]

/** The file that an address or a form asks for. @throws PageFailure */
async function askedFile(visit: Visit, values: Form): Promise<{ as: FileKind; request: Asked }> {
  const sandbox = values('from') === 'sandbox'
  const as = values('as') || 'csv'
  const learners = pseudonyms[values('learners')]
  if (!isFileKind(as) || learners === undefined)
    throw new PageFailure(Reason.INVALID, 'There is no such file. Choose one on the page of the statements.')
  const verbs = isVerbName(values('verb')) ? (await namedIn(visit, { sandbox })).verbs : []
  const request = {
    gameId: uuid(visit),
    sandbox,
    filters: filterOf({ ...visit, query: values }, verbs),
    form: {
      format: formats[as],
      acceptLanguage: (visit.request.get('accept-language') ?? '').slice(0, 500),
      extensions: values('columns')
        .split(/[\s,]+/)
        .filter((iri) => iri !== ''),
      byteOrderMark: as === 'csv',
      pseudonyms: learners,
      bare: values('bare') !== '',
    },
  }
  return { as, request }
}

/** With the game and the day: `quiz-statements-2026-11-22.csv`. @param seconds since 1970; default: now */
function fileName(
  game: Game,
  as: FileKind,
  { sandbox, form }: { sandbox?: boolean; form: { pseudonyms: Pseudonyms } },
  seconds = Date.now() / 1000,
): string {
  const { slug, name } = game.summary!
  const called =
    slug ||
    name
      .toLowerCase()
      .replaceAll(/[^a-z\d]+/g, '-')
      .replaceAll(/^-+|-+$/g, '') ||
    'game'
  const kind = `${sandbox ? '-sandbox' : ''}${form.pseudonyms === Pseudonyms.NONE ? '' : '-pseudonyms'}`
  const day = new Date(seconds * 1000).toISOString().slice(0, 10)
  return `${called.slice(0, 80)}${kind}-statements-${day}.${fileKinds[as].ending}`
}
