import { toJson } from '@bufbuild/protobuf'
import { ListStudiosResponseSchema } from '../../gen/lrs/v1/accounts_pb.js'
import type { CoreClient } from '../core-client.ts'
import { table, time, type Shown } from '../show.ts'

export async function listStudios({ accounts }: CoreClient): Promise<Shown> {
  const found = await accounts.listStudios({})
  const rows = found.studios.map(({ studio, email, reviewer, games, created }) => [studio!.name, studio!.slug, email, reviewer ? 'yes' : '', String(games), time(created)])
  const text = table(['name', 'slug', 'e-mail', 'reviewer', 'games', 'since (UTC)'], rows, 'There are no studios yet.')
  return { json: toJson(ListStudiosResponseSchema, found, { alwaysEmitImplicit: true }), text }
}

export async function setReviewer({ accounts }: CoreClient, email: string, reviewer: boolean): Promise<Shown> {
  await accounts.setReviewer({ email, reviewer })
  return { json: { email, reviewer }, text: `${email} ${reviewer ? 'may review games now.' : 'reviews no games any more.'}` }
}

export async function resetPassword({ accounts }: CoreClient, email: string): Promise<Shown> {
  const { password } = await accounts.resetPassword({ email })
  return { json: { email, password }, text: `New password of ${email}, shown this once: ${password}\nIts sessions have ended; the studio should change it.` }
}
