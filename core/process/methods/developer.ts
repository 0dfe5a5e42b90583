import type { HandlerContext } from '@connectrpc/connect'
import type { Core } from '../../context.ts'
import type { Developer, Person } from '../../accounts/store/studio-sessions.ts'
import { callOf } from './call.ts'

type Needs = Pick<Core, 'sessions'>

/** Whose session a call carries. @throws Refusal unless the account may call the method */
export const person = ({ sessions }: Needs, context: HandlerContext): Promise<Person> =>
  sessions.person(callOf(context))

/** The same for a method that is for members of a studio. */
export const developer = ({ sessions }: Needs, context: HandlerContext): Promise<Developer> =>
  sessions.developer(callOf(context))

/** A handler of which a command is all: the command gets who calls, and the request. */
const handler =
  <Who>(find: (core: Core, context: HandlerContext) => Promise<Who>) =>
  <Request, Result>(command: (core: Core, who: Who, request: Request) => Promise<Result>) =>
  async (core: Core, request: Request, context: HandlerContext): Promise<Result> =>
    command(core, await find(core, context), request)

export const byPerson = handler(person)
export const byDeveloper = handler(developer)

/** Whether the call has an admin's service token and no session of an account. */
export const isAdmin = ({ services }: Pick<Core, 'services'>, { requestHeader }: HandlerContext): boolean =>
  !requestHeader.has('x-lrs-session') && services.roleOf(requestHeader.get('authorization') ?? '') === 'admin'

/** The studio that must own the game; undefined: an admin acts for every game. @throws Refusal */
export const studioOf = async (core: Core, context: HandlerContext): Promise<number | undefined> =>
  isAdmin(core, context) ? undefined : (await developer(core, context)).studio
