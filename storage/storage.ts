import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'

/** One part of an upload that has arrived. */
export interface ArrivedPart {
  /** From 1. */
  readonly number: number
  readonly size: number
}

/** The address for one part. */
export interface PartTarget {
  readonly number: number
  /** Signed address for a PUT of the bytes: absolute, or a path of the portal. */
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

/** An upload that is not complete. */
export interface PendingUpload {
  /** Key of the future object. */
  readonly key: string
  /** Id that `begin` returned. */
  readonly id: string
  /** Bytes of the whole object. */
  readonly size: number
}

/**
 * Stores files under keys such as `builds/<uuid>/index.html`, see `isKey`; no key is also the folder of another one.
 * A failure is a StorageFailure.
 */
export interface Storage {
  /** Bytes of every part of an upload but the last one. */
  readonly partSize: number
  /** Origins that browsers send parts to, for the portal's connect-src; empty: the portal's own. */
  readonly uploadOrigins: readonly string[]
  /** Answers `PUT /storage/…`; undefined: parts go to another server. */
  readonly receive?: (request: IncomingMessage, response: ServerResponse) => Promise<void>

  /** Begins the upload of an object of one byte or more; returns the id of the upload. */
  begin(key: string, size: number): Promise<string>
  /** Signed addresses for parts, valid for `seconds` (a week at most). */
  sign(upload: PendingUpload, numbers: readonly number[], seconds: number): Promise<PartTarget[]>
  /** The complete parts, in order. @throws StorageFailure 'missing' when there is no such upload (any more) */
  arrived(upload: PendingUpload): Promise<ArrivedPart[]>
  /**
   * Makes the object of its parts. Bytes that arrive later do not change it. It may be called again.
   * @throws StorageFailure 'incomplete', 'missing'
   */
  complete(upload: PendingUpload): Promise<void>

  /**
   * Stores all of `content` or nothing; an error of `content` is thrown unchanged.
   * @throws StorageFailure 'incomplete' when it has another size
   */
  write(key: string, content: Readable | Buffer, size: number): Promise<void>
  /** The same object at another key, without its bytes passing through here. @throws StorageFailure 'missing' */
  copy(from: string, to: string): Promise<void>
  /** Undefined: there is no such object, or `key` is not valid. */
  open(key: string): Promise<StoredObject | undefined>
  /** The object as a local file, for random access; `done` releases it. @throws StorageFailure 'missing' */
  local(key: string): Promise<{ path: string; done(): Promise<void> }>
  /** Removes an object and its upload, or everything below a key that ends in `/`. A missing object is no error. */
  remove(key: string): Promise<void>
  /** Every key below a prefix that ends in `/`, in any order; for tests and for finding unused files. */
  list(prefix: string): AsyncIterable<string>
}

/** The part of storage that readers need. */
export type StorageReader = Pick<Storage, 'open'>

const keyMaxBytes = 900
/** Bytes of the text between two `/`. */
const keyPartMaxBytes = 255

/** Whether a key is valid: no part is empty, `.` or `..`, no backslash or control character, not too long. */
export function isKey(key: string): boolean {
  return (
    key.isWellFormed() &&
    !/[\\\u0000-\u001f\u007f-\u009f\ufffe\uffff]/.test(key) &&
    Buffer.byteLength(key) <= keyMaxBytes &&
    key
      .split('/')
      .every((part) => part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= keyPartMaxBytes)
  )
}

/** The sizes of the parts that an upload of `size` bytes comes in. */
export function partSizes(size: number, partSize: number): number[] {
  return Array.from({ length: Math.ceil(size / partSize) }, (_, index) => Math.min(partSize, size - index * partSize))
}

export type StorageReason = 'incomplete' | 'missing' | 'unavailable' | 'full'

/** A failure of storage. */
export class StorageFailure extends Error {
  override name = 'StorageFailure'
  readonly reason: StorageReason
  constructor(reason: StorageReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
