import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export interface LogFile {
  write(bytes: Uint8Array): void
  close(): void
}

/** A log that stays below twice `maxBytes`: a full file becomes `<file>.1`. A full disk loses lines, nothing else. */
export function openLog(file: string, maxBytes = 10 * 1024 * 1024): LogFile {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  let descriptor = openSync(file, 'a', 0o600)
  let size = fstatSync(descriptor).size
  return {
    write(bytes) {
      try {
        if (size > 0 && size + bytes.length > maxBytes) {
          renameSync(file, `${file}.1`)
          const full = descriptor
          descriptor = openSync(file, 'a', 0o600)
          size = 0
          closeSync(full)
        }
        size += writeSync(descriptor, bytes)
      } catch {
        // the disk is full or the folder has gone: the process matters more than its log
      }
    },
    close: () => closeSync(descriptor),
  }
}
