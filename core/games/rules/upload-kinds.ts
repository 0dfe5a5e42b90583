import type { Quota } from './quotas.ts'

/** What an upload can be for. */
export const uploadKinds = {
  'browser-build': { what: 'A build', build: 'browser', size: 'build' },
  'desktop-build': { what: 'A build', build: 'desktop', size: 'build' },
  'gallery-image': { what: 'An image of the gallery', file: 'gallery', size: 'galleryImages' },
  'teaching-note': { what: 'A teaching note', file: 'teaching-note', size: 'teachingNotes' },
  logo: { what: 'A logo', size: 'logo' },
} as const satisfies Record<
  string,
  { what: string; build?: 'browser' | 'desktop'; file?: 'gallery' | 'teaching-note'; size: Quota }
>

export type UploadKind = keyof typeof uploadKinds
export type BuildKind = 'browser' | 'desktop'
export type FileKind = 'gallery' | 'teaching-note'

/** Of a kind that becomes a build; undefined: it does not. */
export const buildOf = (kind: UploadKind): BuildKind | undefined => {
  const rules = uploadKinds[kind]
  return 'build' in rules ? rules.build : undefined
}

/** Of a kind that becomes a file of the game. */
export const fileOf = (kind: UploadKind): FileKind | undefined => {
  const rules = uploadKinds[kind]
  return 'file' in rules ? rules.file : undefined
}
