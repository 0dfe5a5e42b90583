import type { BuildWords } from '../rules/channels.ts'
import type { FileKind, UploadKind } from '../rules/upload-kinds.ts'
import { did, done, first, scalar, sql, type Database, type Run } from '../../process/database/database.ts'
import { isFree, leasedFor, leases, type Leased } from '../../records/store/leases.ts'

/** An upload that has not ended. Its file is at `uploads/<UUID>` in storage. */
export interface UploadRow extends BuildWords {
  /** UUID. */
  readonly uploadId: string
  readonly studio: number
  /** UUID; null for a logo. */
  readonly gameId: string | null
  readonly kind: UploadKind
  readonly fileName: string
  readonly size: number
  /** Id of the upload in storage. */
  readonly storageUpload: string
  /** Seconds since 1970. */
  readonly expires: number
}

/** An upload that this core finalizes. */
export type LeasedUpload = UploadRow & Leased

export interface NewUpload extends BuildWords, Pick<UploadRow, 'uploadId' | 'studio' | 'kind' | 'fileName' | 'size'> {
  readonly game: number | null
}

/** The file made from an uploaded image or document. */
export interface NewFile {
  readonly fileId: string
  readonly game: number
  readonly kind: FileKind
  readonly fileName: string
  readonly contentType: string
  readonly size: number
  readonly storageKey: string
}

const leased = leases('upload', { key: 'uuid' })
const columns = `u.uuid as "uploadId", u.studio, (select uuid from game where id = u.game) as "gameId", u.kind,
  u.file_name as "fileName", u.size::float8 as size, u.storage_upload as "storageUpload",
  u.channel, u.version, u.notes, u.sha256, extract(epoch from u.expires)::float8 as expires`
const free = isFree('u')
const toGarbage = `insert into garbage (key, due) select 'uploads/' || uuid, now() from gone
  on conflict (key) do update set due = excluded.due`

const insert = sql('upload_insert')`
  insert into upload (uuid, studio, game, kind, file_name, size, expires, channel, version, notes, sha256)
    values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7), $8, $9, $10, $11)
    returning extract(epoch from expires)::float8 as expires`
const began = sql('upload_began')`update upload set storage_upload = $2 where uuid = $1 returning uuid`
const find = sql('upload_find')`select ${columns} from upload u
    where uuid = $1 and studio = $2 and expires > now() and storage_upload is not null`
const listOf = sql('upload_list')`select ${columns} from upload u join game g on g.id = u.game
    where g.uuid = $1 and u.studio = $2 and g.deleted is null and u.expires > now() and storage_upload is not null
    order by u.created desc`
const lease = sql('upload_lease')`update upload u set ${leasedFor('$3')}, attempts = attempts + 1
    where uuid = $1 and studio = $2 and expires > now() and storage_upload is not null and ${free}
    returning ${columns}, uuid as id, attempts`
const finish = sql('upload_finish')`with gone as (delete from upload where ${leased.isMine} returning uuid)
    ${toGarbage} returning key`
const cancel = sql('upload_cancel')`
  with gone as (delete from upload u where uuid = $1 and studio = $2 and ${free} returning uuid)
    ${toGarbage} returning key`
const cancelLogos = sql('upload_cancel_logos')`
  with gone as (delete from upload u where studio = $1 and kind = 'logo' and ${free} returning uuid)
    ${toGarbage} returning key`
const expire = sql('upload_expire')`
  with gone as (delete from upload u where expires <= now() and ${free} returning uuid)
    ${toGarbage} returning key`
const countFiles = sql('upload_count_files')`
  select ((select count(*) from game_file where game = $1 and kind = $2 and not removed)
    + (select count(*) from upload
      where game = $1 and kind = $3 and (expires > now() or leased > now())))::int as files`
const insertFile = sql('game_file_insert')`
  insert into game_file (uuid, game, kind, file_name, content_type, size, storage_key)
    values ($1, $2, $3, $4, $5, $6, $7)`
/** Uploads from their request to their end. A given `on` is the transaction to use. */
export function uploadStore({ run, essential }: Database) {
  const changed = (on: Run, query: typeof insert, values: unknown[]) => did(on(query, values))
  return {
    /** Adds an upload; returns when it expires, in seconds since 1970. */
    async insert(
      on: Run,
      { uploadId, studio, game, kind, fileName, size, channel, version, notes, sha256 }: NewUpload,
      seconds: number,
    ): Promise<number> {
      const of = [uploadId, studio, game, kind, fileName, size, seconds, channel, version, notes, sha256]
      const [row] = await on<{ expires: number }>(insert, of)
      return row!.expires
    },
    /** Stores the id of the upload in storage. False: the upload was removed meanwhile. */
    began: (uploadId: string, storageUpload: string): Promise<boolean> =>
      changed(run, began, [uploadId, storageUpload]),
    /** An upload that has not expired. */
    find: (uploadId: string, studio: number) => first(run<UploadRow>(find, [uploadId, studio])),
    list: (gameId: string, studio: number) => run<UploadRow>(listOf, [gameId, studio]),
    /** Takes an upload; undefined: there is none, or it is being finalized. */
    lease: (uploadId: string, studio: number, seconds: number) =>
      first(run<LeasedUpload>(lease, [uploadId, studio, seconds])),
    ...leased.on(run),
    /** Ends an upload: its bytes are garbage. False: it is no longer ours. */
    finish: ({ id, attempts }: Leased, on: Run = run): Promise<boolean> => changed(on, finish, [id, attempts]),
    /** False: there is none, or it is being finalized. */
    cancel: (uploadId: string, studio: number): Promise<boolean> => changed(essential, cancel, [uploadId, studio]),
    /** Cancels the studio's uploads of logos: it may have one at a time. */
    cancelLogos: (on: Run, studio: number) => done(on(cancelLogos, [studio])),
    /** Ends uploads that were not finalized in time. */
    expire: () => done(essential(expire, [])),
    /** Files of the game, with those that are being uploaded. */
    countFiles: (on: Run, game: number, file: FileKind, kind: UploadKind) =>
      scalar<number>(on(countFiles, [game, file, kind])),
    insertFile: (on: Run, { fileId, game, kind, fileName, contentType, size, storageKey }: NewFile) =>
      done(on(insertFile, [fileId, game, kind, fileName, contentType, size, storageKey])),
  }
}
