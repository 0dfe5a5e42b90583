import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
/** What opens a connection to somewhere: clients of HTTP, gRPC, Postgres, sockets. Code that is shown to studios runs elsewhere. */
const opens =
  /^(?!.*code: `|const response = await fetch\(launch).*(?:(?<![\w.])fetch\(|\bhttps?\.(?:get|request)\(|create(?:Connect|Grpc|GrpcWeb)Transport\(|new (?:pg\.)?Client\(|\bcreateConnection\(|\b(?:net|tls)\.connect\(|\bknexModule\(|new OTLPTraceExporter\(|from 'node:(?:https|tls)'|import\('nodemailer'\))/m

/**
 * Whose address comes from the settings. Nobody's comes from a user (line 40 of the torture list). An admin's address
 * of another system is called by core/process/outgoing only.
 */
const known = [
  'core/process/outgoing/mail-call.ts',
  'core/process/outgoing/web-call.ts',
  'core/process/database/database.ts',
  'core/process/database/hosts.ts',
  'core/process/database/notifications.ts',
  'core/process/database/connection-watchdog.ts',
  'core/rpc/tls-server.ts', // takes connections, opens none
  'gateway/core-connection/attachment-client.ts',
  'gateway/core-connection/core-way.ts',
  'player/edge.ts',
  'shared/core-agent.ts',
  'shared/tls/grpc-credentials.ts', // reads which CAs are trusted
  'shared/tracing/otel.ts',
  'storage/s3-client.ts',
]

test('servers call nobody but core, Postgres, the S3 store and the collector of their settings, and what core/process/outgoing guards', () => {
  const files = globSync('{core,gateway,player,portal,shared,storage}/**/*.ts', {
    cwd: root,
    exclude: ['**/*.test.ts'],
  })
  expect(files.length).toBeGreaterThan(200)
  expect(files.filter((file) => opens.test(readFileSync(join(root, file), 'utf8'))).toSorted()).toEqual(
    known.toSorted(),
  )
})

test('would see another one', () => {
  for (const line of [
    "import { connect } from 'node:tls'",
    'const reply = await fetch(address)',
    "https.request('x')",
    '  new Client(target)',
  ])
    expect(opens.test(line), line).toBe(true)
})
