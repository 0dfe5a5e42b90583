// Core without Postgres: says at once that all was stored. For what the way from gateway to core costs by itself.
import { gameScopes } from '../../core/games/command/credentials.ts'
import { hashSecret } from '../../core/process/secret.ts'
import { readConfig } from '../../core/process/config/config.ts'
import { createCore } from '../../core/core.ts'
import type { Credential } from '../../core/records/store/cell/credentials.ts'
import { Refusal } from '../../core/process/refusal.ts'
import type { Database } from '../../core/process/database/database.ts'
import { storeOver, type Store } from '../../core/store.ts'
import type { Batch } from '../../core/records/store/cell/write-statements.ts'
import { stopWithParent } from '../../shared/process/with-parent.ts'

const config = readConfig(process.env)
const { key, secret } = config.bootstrap!
const credential: Credential = {
  id: 1,
  key,
  game: 1,
  cell: 1,
  gameId: '00000000-0000-4000-8000-000000000001',
  secretHash: hashSecret(secret),
  scopes: gameScopes,
  version: 1,
  revoked: false,
  sandbox: false,
  tried: null,
  studio: null,
  authority: `{"objectType":"Agent","account":{"homePage":"${config.authorityHome}","name":"${key}"}}`,
}
// the store itself, so that what is added to it is here too: whatever asks the database finds it away
const away = async (): Promise<never> => {
  throw new Refusal('unavailable', 'There is no database.', { away: true })
}
const database = {
  build: away,
  run: away,
  essential: away,
  rows: away,
  transaction: away,
  snapshot: away,
  close: async () => {},
} as unknown as Database
const real = storeOver(database)
const store: Store = {
  ...real,
  sandboxNotices: { on: () => () => {}, close: () => {} },
  migrate: async () => 1,
  ping: async () => {},
  tenancy: { ...real.tenancy, read: async () => config.tenancy },
  reservations: { ...real.reservations, read: async () => ({ changes: 0, reservations: [] }) },
  // every game of a shape has the same secret
  credentials: {
    ...real.credentials,
    addFirst: async () => {},
    find: async (asked: string) => ({ ...credential, key: asked }),
    isCurrent: async () => true,
  },
  statements: {
    ...real.statements,
    store: async (group: readonly Batch[]) =>
      group.map(({ prepared }) => ({ stored: prepared.statements.map((_, index) => index + 1), skipped: 0 })),
  },
}

const core = await createCore(config, { store })
stopWithParent(core.close)
process.once('SIGTERM', () => void core.close().finally(() => process.exit(0)))
