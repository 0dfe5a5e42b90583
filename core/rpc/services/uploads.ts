import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import {
  Channel as ChannelMessage,
  UploadKind as KindMessage,
  type UploadSchema,
  type UploadService,
} from '../../../gen/lrs/v1/uploads_pb.js'
import { cancelUpload } from '../../command/uploads/cancel-upload.ts'
import { finalizeUpload } from '../../command/uploads/finalize-upload.ts'
import { gameOfUpload, requestUpload, type GrantedUpload } from '../../command/uploads/request-upload.ts'
import { resumeUpload } from '../../command/uploads/resume-upload.ts'
import type { Core } from '../../context.ts'
import { warnOfQuotas } from '../../notices/warn-of-quotas.ts'
import { packagingRules } from '../../studio/packaging.ts'
import type { UploadKind } from '../../studio/upload-kinds.ts'
import { Problem } from '../../xapi/problem.ts'
import { developer } from './developer.ts'

const messages: Record<UploadKind, KindMessage> = {
  'browser-build': KindMessage.BROWSER_BUILD,
  'desktop-build': KindMessage.DESKTOP_BUILD,
  'gallery-image': KindMessage.GALLERY_IMAGE,
  'teaching-note': KindMessage.TEACHING_NOTE,
  logo: KindMessage.LOGO,
}

/** Files of studios, for the portal and for admins. */
export function uploadService(core: Core): ServiceImpl<typeof UploadService> {
  const { store, storage, config } = core
  const uploadOf = ({ upload, missing }: GrantedUpload): MessageInitShape<typeof UploadSchema> => ({
    uploadId: upload.uploadId,
    kind: messages[upload.kind],
    fileName: upload.fileName,
    size: BigInt(upload.size),
    partSize: BigInt(storage.partSize),
    missing: missing.map(({ number, url, size }) => ({ number, url, size: BigInt(size) })),
    expires: BigInt(Math.floor(upload.expires)),
    channel: upload.channel === 'beta' ? ChannelMessage.BETA : ChannelMessage.LIVE,
    version: upload.version,
    notes: upload.notes,
    sha256: upload.sha256,
  })
  return {
    async requestUpload({ gameId, kind, fileName, size, channel, version, notes, sha256 }, context) {
      const who = await developer(core, context)
      const uploadKind = kindOf(kind)
      const file = { gameId: gameOfUpload(gameId, uploadKind), kind: uploadKind, fileName, size: Number(size) }
      const words = { channel: channel === ChannelMessage.BETA ? 'beta' : 'live', version, notes, sha256 } as const
      return { upload: uploadOf(await requestUpload(core, who, { ...file, words })) }
    },
    resumeUpload: async ({ uploadId }, context) => ({
      upload: uploadOf(await resumeUpload(core, await developer(core, context), uploadId)),
    }),
    async finalizeUpload({ uploadId }, context) {
      const who = await developer(core, context)
      const { id, gameId, kind } = await finalizeUpload(core, who, uploadId)
      await warnOfQuotas(core, who)
      return { id, gameId, kind: messages[kind] }
    },
    async cancelUpload({ uploadId }, context) {
      await cancelUpload(core, await developer(core, context), uploadId)
      return {}
    },
    async listUploads({ gameId }, context) {
      const uploads = await store.uploads.list(gameId, (await developer(core, context)).studio)
      return { uploads: uploads.map((upload) => uploadOf({ upload, missing: [] })) }
    },
    listPackagingRules: async () => ({ rules: packagingRules(config.buildMaxExpanded) }),
  }
}

function kindOf(message: KindMessage): UploadKind {
  const [kind] = Object.entries(messages).find(([, other]) => other === message) ?? []
  if (!kind) throw new Problem('kind', 'must be a kind of file that can be uploaded')
  return kind as UploadKind
}
