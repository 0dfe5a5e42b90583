import { statfs } from 'node:fs/promises'

/** Bytes of the disk that a folder is on. */
export interface DiskSpace {
  readonly free: number
  readonly total: number
}

const usualReserve = 512 * 1024 * 1024

export async function diskSpaceOf(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, total: blocks * bsize }
}

/** Bytes to keep free: LRS_DISK_RESERVE if given, else 512 MiB or a twentieth of the disk, whichever is less. */
export function reserveOf({ total }: DiskSpace, given: number | undefined): number {
  return given ?? Math.min(usualReserve, total / 20)
}

export interface Reserves {
  /** LRS_DISK_RESERVE; undefined: see reserveOf. */
  readonly reserve?: number
  /** LRS_UPLOAD_RESERVE; undefined: four times LRS_DISK_RESERVE. */
  readonly uploadReserve?: number
}

/** Bytes that uploads leave free: more than the database needs, so that uploads stop before its writes do. */
export function uploadReserveOf(space: DiskSpace, { reserve, uploadReserve }: Reserves): number {
  const least = reserveOf(space, reserve)
  return Math.max(uploadReserve ?? 4 * least, least)
}
