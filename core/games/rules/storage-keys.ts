import { derivedFolder } from '../../../shared/compressed-files.ts'
import type { BuildKind } from './upload-kinds.ts'

// Keys of files in storage. The player and the portal derive them from the addresses of requests.

/** What has arrived of an upload. */
export const uploadKey = (uploadId: string): string => `uploads/${uploadId}`

/** An image or a document. */
export const fileKey = (fileId: string): string => `files/${fileId}`

/**
 * What core makes of a file or build, if anything: the small picture of an image, the folder of a browser build's
 * compressed files. It goes with it. Undefined: of what is at this key core makes nothing.
 */
export function derivedKey(key: string): string | undefined {
  if (key.startsWith('files/')) return key.replace('files/', 'thumbnails/')
  return key.startsWith('builds/') ? derivedFolder(key) : undefined
}

/** The folder of the parts of an export. */
export const exportFolder = (exportId: string): string => `exports/${exportId}/`

/** A part of an export, from 1; a core that was taken for dead writes nothing that another one reads. */
export const exportPart = (exportId: string, part: number, attempt: number): string =>
  `${exportFolder(exportId)}${part}-${attempt}`

/** The folder of a build: the files of its zip, or its package. */
export const buildFolder = (kind: BuildKind, buildId: string): string =>
  `${kind === 'browser' ? 'builds' : 'packages'}/${buildId}/`
