import type { DescMethod } from '@bufbuild/protobuf'
import type { ConnectRouter, HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { Health } from '../../../gen/grpc/health/v1/health_pb.js'
import { ServerReflection } from '../../../gen/grpc/reflection/v1/reflection_pb.js'
import { ServerReflection as ServerReflectionAlpha } from '../../../gen/grpc/reflection/v1alpha/reflection_pb.js'
import { RelayService } from '../../../gen/lrs/v1/relay_pb.js'
import type { Core } from '../../context.ts'
import { protocol, type Declared, type DeclaredService } from '../../process/methods/declaration.ts'
import type { Operation } from '../../records/calls/operation.ts'
import { NotAudited, reads, traffic } from '../../process/methods/audit-entries.ts'
import { healthService } from './health.ts'
import { serveReflection } from './reflection.ts'
import { recordServices } from '../../records/service/services.ts'
import { analyticsServices } from '../../analytics/service/services.ts'
import { accountServices } from '../../accounts/service/services.ts'
import { gameServices } from '../../games/service/services.ts'
import { connectionServices } from '../../connections/service/services.ts'
import { operatorService } from './operator.ts'
import { adminService } from './admin.ts'

/** Services whose methods are declared beside their handlers. */
const handled: readonly DeclaredService[] = [
  ...recordServices,
  ...analyticsServices,
  ...accountServices,
  ...gameServices,
  ...connectionServices,
  operatorService,
  adminService,
]

/** For everybody. */
const open = { who: ['anybody'], right: 'none', audit: reads } as const
/** The services that reflection and health list. */
const listed = [
  ...handled,
  protocol(Health, open),
  protocol(ServerReflection, open),
  protocol(ServerReflectionAlpha, open),
]

/** Every method of core. */
export const declarations: readonly Declared[] = [
  ...listed,
  protocol(RelayService, { who: ['gateway'], right: 'none', audit: traffic }),
].flatMap(({ methods }) => methods)

const fullName = ({ parent, localName }: DescMethod): string => `${parent.typeName}/${localName}`
const byName = new Map(declarations.map((declared) => [fullName(declared.method), declared]))

/** What is declared of the method; undefined: core does not have it. */
export const declaredOf = (method: DescMethod): Declared | undefined => byName.get(fullName(method))

/** The unary calls of games: the relay serves each of them, too. */
export const operations: readonly Operation<never, object>[] = declarations.flatMap(({ operation }) => operation ?? [])

/** Every action of the audit log, sorted. */
export const auditedActions = (): string[] =>
  [...new Set(declarations.flatMap(({ audit }) => (audit instanceof NotAudited ? [] : [audit.action])))].toSorted()

/** Every service of core, for gRPC, gRPC-Web and Connect alike, by its name. */
export function services(core: Core): ReadonlyMap<string, (router: ConnectRouter) => void> {
  const descriptors = listed.map(({ service }) => service)
  const health = healthService(core, new Set(['', ...descriptors.map(({ typeName }) => typeName)]))
  const routes = new Map<string, (router: ConnectRouter) => void>()
  for (const { service, methods } of handled) {
    const handlers = methods.map(({ method, run }) => [
      method.localName,
      (request: unknown, context: HandlerContext) => run!(core, request, context),
    ])
    const implementation = Object.fromEntries(handlers) as ServiceImpl<typeof service>
    routes.set(service.typeName, (router) => router.service(service, implementation))
  }
  for (const { typeName } of [ServerReflection, ServerReflectionAlpha])
    routes.set(typeName, (router) => serveReflection(router, descriptors))
  return routes.set(Health.typeName, (router) => router.service(Health, health))
}
