import { readSetting } from '../shared/settings/settings.ts'
import type { FileHandle } from 'node:fs/promises'
import { httpUrl, SettingError } from '../shared/settings/kinds.ts'
import type { Upload } from '../gen/lrs/v1/uploads_pb.js'
import { Failed } from './failed.ts'
import { progress } from './progress.ts'
import type { Session } from './session.ts'
import { amount, bytes } from './show.ts'

const partMs = 15 * 60_000
/** Core checks and unpacks the whole build. */
export const checkMs = 15 * 60_000
const tries = 3
/** Work with more bytes says how far it is where there is no bar. */
export const longBytes = 16 * 1024 * 1024

/** Sends the missing parts of an upload, with a bar on a terminal, else with a line for each tenth. @throws Failed */
export async function sendUpload(
  session: Session,
  file: FileHandle,
  upload: Upload,
  portal: string | undefined,
): Promise<void> {
  const size = Number(upload.size)
  let sent = size - upload.missing.reduce((sum, part) => sum + Number(part.size), 0)
  const bar = progress('Uploading', bytes, longBytes)
  try {
    for (const part of upload.missing) {
      await send(session, file, upload, part, portalOf(session, portal))
      bar.show((sent += Number(part.size)), size)
    }
  } finally {
    bar.end()
  }
}

/** One part; a part that was cut off is sent again. */
async function send(
  { ending }: Session,
  file: FileHandle,
  { partSize }: Upload,
  { number, url: address, size }: Upload['missing'][number],
  portal: () => string,
): Promise<void> {
  const content = Buffer.alloc(Number(size))
  await file.read(content, 0, content.length, (number - 1) * Number(partSize))
  const to = URL.canParse(address) ? address : new URL(address, portal())
  for (let left = tries - 1; ; left--) {
    const signal = AbortSignal.any([ending, AbortSignal.timeout(partMs)])
    const answer = await fetch(to, { method: 'PUT', body: content, redirect: 'error', signal }).catch(() => {
      if (ending.aborted) throw new Failed('Interrupted: a push goes on where it was, when it is run again.')
      if (left === 0) throw new Failed(`Part ${number} cannot be sent to ${new URL(to).origin}.`, 3)
    })
    if (answer?.ok) return
    if (answer && (answer.status < 500 || left === 0))
      throw new Failed(
        `${new URL(to).origin} refused ${amount(content.length, 'byte')} of part ${number}: status ${answer.status}.`,
      )
  }
}

/** @throws SettingError */
const portalOf = (session: Session, given: string | undefined) => (): string => {
  const found = portalAddress(session, given)
  if (found) return found
  throw new SettingError('The portal takes the file: name its address with --portal <url>, or LRS_PORTAL_URL.')
}

/** The address of the portal, if it was named. @throws SettingError */
export const portalAddress = ({ env }: Session, given: string | undefined): string | undefined =>
  given ? httpUrl.parse('--portal', given) : readSetting('LRS_PORTAL_URL', env)
