import { leaseSeconds } from '../../store/directory/builds.ts'
import type { Store } from '../../store/store.ts'
import type { ClaimedUpload } from '../../store/directory/uploads.ts'

/** Renews the claim of a running finalization, so that nobody else begins it. */
export function holdClaim(uploads: Store['uploads'], { uploadId, claim }: ClaimedUpload) {
  let current = Promise.resolve(claim)
  const renew = async (claim: string): Promise<string> =>
    (await uploads.renew(uploadId, claim).catch(() => undefined)) ?? claim
  const next = (): void => {
    current = current.then(renew)
  }
  const timer = setInterval(next, (leaseSeconds / 4) * 1000)
  return {
    /** Stops renewing. Returns the newest claim. */
    end(): Promise<string> {
      clearInterval(timer)
      return current
    },
  }
}
