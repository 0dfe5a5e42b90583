import type { DescMessage, DescMethod, DescService, MessageShape } from '@bufbuild/protobuf'
import type { HandlerContext, MethodImpl } from '@connectrpc/connect'
import type { Role } from '../../../shared/settings/own-kinds.ts'
import type { Right } from '../../accounts/access/rights.ts'
import type { Core } from '../../context.ts'
import type { TokenScope } from '../../accounts/rules/token-scopes.ts'
import type { Operation } from '../../records/calls/operation.ts'
import { answerOf, type Answer } from './answer.ts'
import type { Entry, EntryOf, NotAudited } from './audit-entries.ts'

/** Callers: a service with the token of a role; a game with its credential or a launch token; anybody. */
export type Who = Role | 'game' | 'anybody'

/** Who may call a method, and what the audit log has of it. */
export interface Policy<Method extends DescMethod> {
  /** Undefined: the portal and admins; if no session may call it, admins only. */
  readonly who?: readonly Who[]
  readonly right: Right
  /** Scopes of which a personal token needs one; undefined: no token may call it. */
  readonly token?: TokenScope | readonly TokenScope[]
  /** The action alone, or a whole entry. */
  readonly audit: string | EntryOf<Method> | NotAudited
  /** It signs in without a provider or sets a password: closed where people sign in with a provider only. */
  readonly byPassword?: true
}

/** A handler. One whose message has no fields may return nothing. */
type Run<Method extends DescMethod> =
  MethodImpl<Method> extends (...parameters: infer Parameters) => unknown
    ? (core: Core, ...parameters: Parameters) => Answers<Method>
    : never
type Answers<Method extends DescMethod> = Method['methodKind'] extends 'server_streaming' | 'bidi_streaming'
  ? AsyncIterable<Answer<Method>>
  : Answer<Method> | Promise<Answer<Method>> | Empty<Method>
type Empty<Method extends DescMethod> =
  Exclude<keyof MessageShape<Method['output']>, '$typeName' | '$unknown'> extends never ? Promise<void> : never

/** A method with its handler; `operation`: the call of a game that it is. */
export interface Declaration<Method extends DescMethod> {
  readonly policy: Policy<Method>
  readonly run: Run<Method>
  readonly operation?: Operation<never, object>
}

/** Declares a method beside its handler. */
export const method = <Method extends DescMethod>(policy: Policy<Method>, run: Run<Method>): Declaration<Method> => ({
  policy,
  run,
})

type Handler = (core: Core, request: unknown, context: HandlerContext) => unknown

/** A declared method with all that was left out: access, rights, tokens, audit log and docs/rpc.md derive from it. */
export interface Declared {
  readonly method: DescMethod
  readonly who: readonly Who[]
  readonly right: Right
  readonly tokens: readonly TokenScope[]
  readonly audit: Entry<unknown, unknown> | NotAudited
  readonly byPassword: boolean
  /** Undefined: it is served in a way of its own. */
  readonly run?: Handler
  readonly operation?: Operation<never, object>
}

export interface DeclaredService {
  readonly service: DescService
  readonly methods: readonly Declared[]
}

export type Methods<Service extends DescService> = {
  readonly [Name in keyof Service['method']]: Declaration<Service['method'][Name]>
}

/** Declares all methods of a service; a missing one does not compile. */
export const service = <Service extends DescService>(service: Service, table: Methods<Service>): DeclaredService => ({
  service,
  methods: Object.entries<Declaration<DescMethod>>(table).map(([name, { policy, run, operation }]) => ({
    ...declared(service.method[name]!, policy),
    run: operation ? (run as Handler) : answering(service.method[name]!, run as Handler),
    operation,
  })),
})

const answering =
  ({ methodKind, output }: DescMethod, run: Handler): Handler =>
  (...asked) => {
    const answer = run(...asked)
    return methodKind === 'server_streaming' || methodKind === 'bidi_streaming'
      ? each(answer as AsyncIterable<unknown>, output)
      : Promise.resolve(answer).then((one) => answerOf(output, one ?? {}))
  }

async function* each(answers: AsyncIterable<unknown>, output: DescMessage): AsyncGenerator<object> {
  for await (const one of answers) yield answerOf(output, one)
}

/** Declares a service of a protocol, whose methods have one policy and are served in a way of their own. */
export const protocol = (service: DescService, policy: Policy<DescMethod>): DeclaredService => ({
  service,
  methods: service.methods.map((method) => declared(method, policy)),
})

function declared(method: DescMethod, { who, right, token = [], audit, byPassword }: Policy<DescMethod>): Declared {
  return {
    method,
    who: who ?? (right === 'none' ? ['admin'] : ['portal', 'admin']),
    right,
    tokens: typeof token === 'string' ? [token] : token,
    audit: typeof audit === 'string' ? { action: audit } : (audit as Declared['audit']),
    byPassword: byPassword === true,
  }
}
