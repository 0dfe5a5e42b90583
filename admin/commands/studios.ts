import { toJson } from '@bufbuild/protobuf'
import { ListStudiosResponseSchema } from '../../gen/lrs/v1/accounts_pb.js'
import type { Work } from '../session.ts'
import { table, time } from '../show.ts'

export const listStudios: Work<object> = async (session) => {
  const found = await (await session.connect()).accounts.listStudios({})
  const rows = found.studios.map(({ studio, email, reviewer, trusted, games, created }) => [studio!.name, studio!.slug, email, reviewer ? 'yes' : '', trusted ? 'yes' : '', String(games), time(created)])
  const text = table(['name', 'slug', 'e-mail', 'reviewer', 'trusted', 'games', 'since (UTC)'], rows, 'There are no studios yet.')
  return { json: toJson(ListStudiosResponseSchema, found, { alwaysEmitImplicit: true }), text }
}

export const setReviewer: Work<{ off?: true }> = async (session, [email], { off }) => {
  const reviewer = !off
  await (await session.connect()).accounts.setReviewer({ email, reviewer })
  return { json: { email: email!, reviewer }, text: `${email} ${reviewer ? 'may review games now.' : 'reviews no games any more.'}` }
}

export const setTrusted: Work<{ off?: true }> = async (session, [email], { off }) => {
  const trusted = !off
  await (await session.connect()).accounts.setTrusted({ email, trusted })
  return { json: { email: email!, trusted }, text: trusted ? `Changes of the published games of ${email} are public at once now.` : `Changes of the published games of ${email} are reviewed again.` }
}

export const resetPassword: Work<object> = async (session, [email]) => {
  const { password } = await (await session.connect()).accounts.resetPassword({ email })
  return { json: { email: email!, password }, text: `New password of ${email}, shown this once: ${password}\nIts sessions have ended; the studio should change it.` }
}
