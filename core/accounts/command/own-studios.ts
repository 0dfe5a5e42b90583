import { Refusal } from '../../process/refusal.ts'
import type { Person } from '../store/studio-sessions.ts'
import type { Core } from '../../context.ts'
import type { OrganisationKind } from '../rules/roles.ts'
import { keptAddress } from '../../process/rules/email.ts'
import { line, studioTexts } from '../../process/rules/text.ts'
import { Problem } from '../../process/problem.ts'
import { noAccount } from './accounts.ts'
import { requireMayOwn } from './members.ts'

/** The session works for another studio of the account from now on. @throws Refusal 'not-found' */
export async function switchStudio(
  { store: { transaction, members, studioSessions } }: Pick<Core, 'store'>,
  person: Person,
  { studioId }: { readonly studioId: string },
): Promise<void> {
  const studio = (await members.of(person.account)).find((one) => one.studioId === studioId)?.studio
  if (studio === undefined) throw new Refusal('not-found', 'You are no member of this studio (any more).')
  await transaction((run) => studioSessions.switch(run, person, studio))
}

/** Makes a studio or school that the account owns, and works for it. @throws Problem, Refusal */
export async function openStudio(
  { store }: Pick<Core, 'store'>,
  person: Person,
  { studioName, kind }: { readonly studioName: string; readonly kind: OrganisationKind },
): Promise<{ studioId: string }> {
  const name = line(studioName, 'studio_name', studioTexts.name)
  const { transaction, members, studios, studioSessions } = store
  const opened = await transaction(async (run) => {
    await requireMayOwn(store, run, person.account, 'Your account owns')
    const studio = await studios.add(run, name, kind)
    await members.add(run, studio, person.account, 'owner')
    await studioSessions.switch(run, person, studio)
    return studio
  })
  return { studioId: (await studios.byId(opened))!.studioId }
}

/** Sets how many studios an account may own; for admins. @throws Problem, Refusal 'not-found' */
export async function allowStudios(
  { store: { accounts } }: Pick<Core, 'store'>,
  { email, studios }: { readonly email: string; readonly studios: number },
): Promise<void> {
  if (studios < 1 || studios > 1_000) throw new Problem('studios', 'must be 1 to 1000')
  if (!(await accounts.allow(keptAddress(email), studios))) throw noAccount()
}
