import {
  Channel as ChannelMessage,
  UploadKind as KindMessage,
  UploadService,
  type BuildFile,
} from '../../../gen/lrs/v1/uploads_pb.js'
import { cancelUpload } from '../command/cancel-upload.ts'
import { compareFiles } from '../command/compare-files.ts'
import { finalizeUpload } from '../command/finalize-upload.ts'
import { gameOfUpload, requestUpload, type GrantedUpload } from '../command/request-upload.ts'
import { resumeUpload } from '../command/resume-upload.ts'
import type { Core } from '../../context.ts'
import { warnOfQuotas } from '../command/warn-of-quotas.ts'
import { packagingRules } from '../rules/packaging.ts'
import type { UploadKind } from '../rules/upload-kinds.ts'
import { Problem } from '../../process/problem.ts'
import { method, service } from '../../process/methods/declaration.ts'
import { reads, notYet, game } from '../../process/methods/audit-entries.ts'
import { byDeveloper, developer } from '../../process/methods/developer.ts'
import { byName } from '../../process/methods/enums.ts'

const messages: Readonly<Record<UploadKind, KindMessage>> = byName(KindMessage)

const uploadOf = ({ storage }: Core, { upload, missing }: GrantedUpload) => ({
  ...upload,
  kind: messages[upload.kind],
  partSize: storage.partSize,
  missing,
  channel: upload.channel === 'beta' ? ChannelMessage.BETA : ChannelMessage.LIVE,
})

const fileOfBuild = ({ path, size, sha256 }: BuildFile) => ({
  path,
  size: Number(size),
  sha256: Buffer.from(sha256).toString('hex'),
})

/** Files of studios, for the portal and for admins. */
export const uploadService = service(UploadService, {
  requestUpload: method(
    { right: 'developer', token: 'upload', audit: notYet },
    async (core, { gameId, kind, fileName, size, channel, version, notes, sha256 }, context) => {
      const who = await developer(core, context)
      const uploadKind = kindOf(kind)
      const file = { gameId: gameOfUpload(gameId, uploadKind), kind: uploadKind, fileName, size: Number(size) }
      const words = { channel: channel === ChannelMessage.BETA ? 'beta' : 'live', version, notes, sha256 } as const
      return { upload: uploadOf(core, await requestUpload(core, who, { ...file, words })) }
    },
  ),
  compareFiles: method(
    { right: 'developer', token: 'upload', audit: reads },
    async (core, { gameId, files }, context) =>
      compareFiles(core, await developer(core, context), { gameId, files: files.map(fileOfBuild) }),
  ),
  resumeUpload: method({ right: 'developer', token: 'upload', audit: notYet }, async (core, { uploadId }, context) => ({
    upload: uploadOf(core, await resumeUpload(core, await developer(core, context), uploadId)),
  })),
  finalizeUpload: method(
    {
      right: 'developer',
      token: 'upload',
      audit: {
        action: 'game.upload',
        subject: (_, done) => (done?.gameId ? game(done) : undefined),
        details: ({ uploadId }, done) => ({
          upload: uploadId,
          file: done?.id,
          kind: done && KindMessage[done.kind]?.toLowerCase(),
        }),
      },
    },
    async (core, { uploadId, files }, context) => {
      const who = await developer(core, context)
      const { id, gameId, kind } = await finalizeUpload(core, who, uploadId, files.map(fileOfBuild))
      await warnOfQuotas(core, who)
      return { id, gameId, kind: messages[kind] }
    },
  ),
  cancelUpload: method({ right: 'developer', token: 'upload', audit: notYet }, byDeveloper(cancelUpload)),
  listUploads: method(
    { right: 'developer', token: ['read', 'upload'], audit: reads },
    async (core, { gameId }, context) => {
      const uploads = await core.store.uploads.list(gameId, (await developer(core, context)).studio)
      return { uploads: uploads.map((upload) => uploadOf(core, { upload, missing: [] })) }
    },
  ),
  listPackagingRules: method({ right: 'public', token: 'read', audit: reads }, async (core) => ({
    rules: packagingRules(core.config.buildMaxExpanded),
  })),
})

function kindOf(message: KindMessage): UploadKind {
  const [kind] = Object.entries(messages).find(([, other]) => other === message) ?? []
  if (!kind) throw new Problem('kind', 'must be a kind of file that can be uploaded')
  return kind as UploadKind
}
