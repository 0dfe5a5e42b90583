import { Code, ConnectError, createClient, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import type { Logger } from 'pino'
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../gen/grpc/health/v1/health_pb.js'
import { LaunchService, type CheckFilesResponse, type Launch } from '../gen/lrs/v1/launches_pb.js'
import { coreAgent } from '../shared/core-agent.ts'
import type { Config } from './config.ts'

export type CheckedFiles = Pick<CheckFilesResponse, 'openBuilds' | 'openSigned' | 'keys'>

/** The player's calls to core. */
export interface CoreClient {
  /** The launch context of a session; undefined: there is no session with this secret, or it has ended. */
  launch(sessionSecret: string): Promise<Launch | undefined>
  /** Which builds are public, and which signed paths hold. */
  checkFiles(buildIds: readonly string[], signedIds: readonly string[]): Promise<CheckedFiles>
  /** Why core cannot serve, as text; undefined: it can. */
  trouble(): Promise<string | undefined>
}

/** Calls with the player's service token, which permits only these. */
export function coreClient(
  { coreUrl, coreTls, serviceToken }: Pick<Config, 'coreUrl' | 'coreTls' | 'serviceToken'>,
  log: Logger,
): CoreClient {
  const authorize: Interceptor = (next) => (request) => {
    request.header.set('authorization', `Bearer ${serviceToken}`)
    return next(request)
  }
  const transport = createConnectTransport({
    baseUrl: coreUrl,
    httpVersion: '1.1',
    nodeOptions: { agent: coreAgent(coreUrl, { tls: coreTls, log }) },
    interceptors: [authorize],
    defaultTimeoutMs: 5_000,
    acceptCompression: [],
  })
  const launches = createClient(LaunchService, transport)
  const health = createClient(Health, transport)
  return {
    async launch(sessionSecret) {
      try {
        return (await launches.getLaunch({ sessionSecret })).launch
      } catch (error) {
        if (ConnectError.from(error).code === Code.NotFound) return undefined
        throw error
      }
    },
    checkFiles: (buildIds, signedIds) =>
      launches.checkFiles({ buildIds: [...buildIds], signedIds: [...signedIds] }, { timeoutMs: 3_000 }),
    trouble: () =>
      health
        .check({})
        .then(
          ({ status }) => (status === ServingStatus.SERVING ? undefined : 'the database does not answer'),
          troubleOf,
        ),
  }
}

function troubleOf(error: unknown): string {
  if (ConnectError.from(error).code !== Code.Unauthenticated) return 'core is not reached'
  return (
    'core refuses the service token of this player: ' +
    'LRS_SERVICE_TOKEN has to be the one that LRS_SERVICE_TOKENS of core has for player'
  )
}
