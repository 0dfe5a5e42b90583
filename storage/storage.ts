import type { Readable } from 'node:stream'

/** One part of an upload that has arrived. */
export interface ArrivedPart {
  /** 1 is the first one. */
  readonly number: number
  readonly size: number
}

/** Where the bytes of one part go. */
export interface PartTarget {
  readonly number: number
  /** Takes them with PUT; absolute, or a path of the portal. Signed. */
  readonly url: string
  readonly size: number
}

export interface StoredObject {
  readonly size: number
  /** Strong, with its quotes. */
  readonly etag: string
  /** The bytes from start to end, both included; all of them without. */
  read(range?: { start: number; end: number }): Promise<Readable>
}

/** An upload as storage knows it. */
export interface PendingUpload {
  /** Where the object will be. */
  readonly key: string
  /** What `begin` returned. */
  readonly id: string
  /** Bytes of the whole. */
  readonly size: number
}

/**
 * Where files are kept: keys such as `builds/<uuid>/index.html`, with `/` between their parts, none of which is empty, `.` or `..`.
 * Failures of the store come as a StorageFailure.
 */
export interface Storage {
  /** Bytes of every part of an upload but the last one. */
  readonly partSize: number
  /** Origins that browsers send parts to, for the portal's connect-src; empty: the portal's own. */
  readonly uploadOrigins: readonly string[]

  /** Prepares for the parts of an object; returns what names the upload. */
  begin(key: string, size: number): Promise<string>
  /** Signed addresses for parts, good for so many seconds. */
  sign(upload: PendingUpload, numbers: readonly number[], seconds: number): Promise<PartTarget[]>
  /** The parts that are there, whole. */
  arrived(upload: PendingUpload): Promise<ArrivedPart[]>
  /** Makes the object of its parts. @throws StorageFailure 'incomplete' */
  complete(upload: PendingUpload): Promise<void>

  write(key: string, content: Readable | Buffer, size: number): Promise<void>
  /** Undefined: there is none. */
  open(key: string): Promise<StoredObject | undefined>
  /** The object in a file of this machine, for those who must jump about in it; `done` gives it back. */
  local(key: string): Promise<{ path: string; done(): Promise<void> }>
  /** Removes an object with what was uploaded for it, or everything below a key that ends in `/`. Nothing there is fine. */
  remove(key: string): Promise<void>
  /** Every key below one that ends in `/`; for tests and for finding what nobody wants. */
  list(prefix: string): AsyncIterable<string>
}

export type StorageReason = 'incomplete' | 'unavailable' | 'full'

/** What went wrong in storage. */
export class StorageFailure extends Error {
  override name = 'StorageFailure'
  readonly reason: StorageReason
  constructor(reason: StorageReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
