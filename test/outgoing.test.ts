import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
/** What makes connections: none of these is given an address by a caller. */
const allowed: Record<string, string> = {
  'gateway/carrier.ts': 'to core, by CORE_RELAY_URL',
  'gateway/link.ts': 'to core, by CORE_RELAY_URL',
  'portal/core-client.ts': 'to core, by CORE_URL',
  'player/core-client.ts': 'to core, by CORE_URL',
  'storage/s3-client.ts': 'to the store, by LRS_S3_ENDPOINT',
  'core/store/notifications.ts': 'to Postgres, by DATABASE_URL',
  'core/store/database.ts': 'to Postgres, by DATABASE_URL',
}
const connecting = /await fetch\(|\bnew (?:pg\.)?(?:Client|Pool|WebSocket)\(|\bknexModule\(|create(?:Connect|Grpc|GrpcWeb)Transport\(|import \{[^}]*\b(?:request|get|connect|createConnection)\b[^}]*\} from 'node:(?:https?|http2|net|tls)'|from 'node:(?:dns|dgram)'|makeGenericClientConstructor|loadPackageDefinition/

test('no process fetches an address that somebody sent: whatever connects is known, and where to', () => {
  const files = globSync('{core,gateway,portal,player,storage}/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', '**/testing/**', '**/testing.ts', 'portal/pages/**', 'portal/public/**', 'gateway/fake-core.ts'] })
  const found = files.filter((file) => connecting.test(readFileSync(join(root, file), 'utf8')))
  expect(found.toSorted()).toEqual(Object.keys(allowed).toSorted())
})
