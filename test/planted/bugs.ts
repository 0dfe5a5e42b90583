/** A bug that somebody might make, and the tests that have to see it. */
export interface Planted {
  readonly name: string
  readonly file: string
  readonly from: string
  readonly to: string
  /** The file of the tests, and their name or a part of it. */
  readonly seenBy: readonly [file: string, name: string]
  /** The one of clients/conformance that has it. */
  readonly client?: string
}

const signIn = 'test/hostile/a-provider-signs-in-only-its-own-people.test.ts'
const lies = 'test/hostile/a-provider-that-lies-signs-in-nobody.test.ts'
const order = 'core/process/database/functions/write_statements.sql'
const severalCells = [
  'test/several-cells.test.ts',
  'followers of a game and of all games miss nothing while a game moves to and fro',
] as const

export const bugs: readonly Planted[] = [
  {
    name: 'acknowledging before the commit is on the disk',
    file: 'core/process/database/planning.ts',
    from: "jit: 'off',",
    to: "jit: 'off',\n  synchronous_commit: 'off',",
    seenBy: ['test/crash.test.ts', 'a killed Postgres that comes back'],
  },
  {
    name: 'acknowledging what then fails to commit',
    file: 'core/records/command/ingest.ts',
    from: 'batcher(\n    storeGroup,',
    to:
      'batcher((group) => store(group).catch(() => group.map(({ prepared }) => ({ stored: ' +
      'prepared.statements.map(() => 1), skipped: 0 }))),',
    seenBy: ['test/crash.test.ts', 'a killed Postgres that comes back'],
  },
  {
    name: 'stored = now()',
    file: order,
    from: 'else greatest(clock, o.last_value) / 16',
    to: 'else (extract(epoch from now()) * 1000000)::bigint / 16',
    // at the pace at which two cores commit a race may be lost by nobody; a clock that goes back tells it every time
    seenBy: ['test/faults.test.ts', 'whose clock goes back by an hour'],
  },
  {
    name: 'the order without its lock',
    file: order,
    from: 'perform pg_advisory_xact_lock(2026, order_lock(this_cell()));',
    to: '',
    seenBy: ['test/order.test.ts', 'has every statement, in order and without a gap'],
  },
  {
    name: 'the definition that is written last wins',
    file: 'core/process/database/functions/tell.sql',
    from: 'where excluded.stored > known.stored and known.definition is not null',
    to: 'where known.definition is not null',
    seenBy: ['test/what-is-said-of-activities-and-agents.test.ts', 'the newest `stored` wins'],
  },
  {
    name: 'definitions that readers do not see until they are written',
    file: 'core/records/store/cell/knowledge.ts',
    from: 'where r.base > 0 and',
    to: 'where r.base < 0 and',
    seenBy: ['test/what-is-said-of-activities-and-agents.test.ts', 'a core that ends between any two steps'],
  },
  {
    name: 'secrets compared as bytes are compared',
    file: 'core/process/secret.ts',
    from: 'timingSafeEqual(hashSecret(secret), secretHash)',
    to: 'hashSecret(secret).equals(secretHash)',
    seenBy: ['core/process/secret.test.ts', 'compared in constant time'],
  },
  {
    name: 'an unknown key is refused before the database was asked',
    file: 'core/records/access/caller.ts',
    from: 'const credential = await load(key)\n      return isSecret',
    to: "const credential = key === 'known' ? await load(key) : undefined\n      return isSecret",
    seenBy: ['core/process/secret.test.ts', 'the same way and the same time'],
  },
  {
    name: 'requests counted before their caller is known',
    file: 'core/records/calls/perform.ts',
    from: '  const known = (asked.caller = await (call.identified ?? identify(core, call, rules)))\n',
    to:
      "  core.limiter?.take('post-statements', Buffer.from(call.authorization.slice(6), " +
      "'base64').toString().split(':')[0]!)\n  const known = (asked.caller = await (call.identified ?? identify(core, call, rules)))\n",
    seenBy: ['test/limits.test.ts', 'are not used up by those who cannot authenticate'],
  },
  {
    name: 'a lost rollback',
    file: 'core/process/database/database.ts',
    from: "await say('rollback').catch(() => connection.end())",
    to: "await say('commit').catch(() => connection.end())",
    seenBy: ['core/process/database/database.test.ts', 'a transaction that fails leaves nothing'],
  },
  {
    name: 'locks that are waited for one after the other, each for 2 s',
    file: 'core/process/database/connection-watchdog.ts',
    from: 'now - one.since >= silent &&',
    to: 'false &&',
    seenBy: ['core/process/database/database.test.ts', 'who waits for one lock after the other'],
  },
  {
    name: 'a stuck database that each waiting job has to find out',
    file: 'core/process/concurrency/fair-queue.ts',
    from: 'if (isAway(error)) refuseAll(error)',
    to: 'if (false) refuseAll(error)',
    seenBy: [
      'core/process/concurrency/fair-queue.test.ts',
      'when the database does not answer one game, those who wait are told so, of whichever game',
    ],
  },
  {
    name: 'a place in `more` that counts from the newest',
    file: 'core/records/query/statements.ts',
    from: `{ after, until: last, ascending, limit, bytes: how.bytes, byCell: query.byCell }
  const found = throwIfStale(await store.reads.page(readerOf(caller), filter, range))
  const next = found.more ? String(found.statements.at(-1)!.stored) : ''`,
    to: `{ after: since, until, ascending, limit: limit + (place ?? 0) }
  const found = throwIfStale(await store.reads.page(readerOf(caller), filter, range))
  found.statements.splice(0, place ?? 0)
  const next = found.more ? String((place ?? 0) + limit) : ''`,
    seenBy: ['test/queries.test.ts', 'skips and repeats nothing while others write'],
  },
  {
    name: 'Consistent-Through as it is after the page was read',
    file: 'core/records/store/cell/read-pages.ts',
    from: `    const known = await watermark.read()
    const rows = await database.rows(
      preparedOf(
        asked,
        parameters.map(([name]) => name),
      ),
      parameters.map(([, value]) => value),
    )`,
    to: `    const rows = await database.rows(
      preparedOf(
        asked,
        parameters.map(([name]) => name),
      ),
      parameters.map(([, value]) => value),
    )
    const known = await watermark.read()`,
    seenBy: ['test/order.test.ts', 'has every statement, in order and without a gap'],
  },
  {
    name: 'a page that ends where it stopped looking',
    file: 'core/records/store/cell/read-pages.ts',
    from: 'const stop = head!.number(pageFields.stop)',
    to: 'const stop: number | null = null',
    seenBy: ['core/records/store/cell/read-pages.test.ts', 'a page goes no further than the way that stopped first'],
  },
  {
    name: 'plans that sort what an index has in order',
    file: 'core/process/database/planning.ts',
    from: "  enable_sort: 'off',\n",
    to: '',
    seenBy: ['test/costs/costs.test.ts', 'whatever Postgres believes of the tables'],
  },
  {
    name: 'a look at the order that does not wait for who is in it',
    file: 'core/process/database/functions/advance_order.sql',
    from: 'if not pg_try_advisory_xact_lock(2026, order_lock(this_cell())) then return null; end if;',
    to: '',
    seenBy: ['core/records/store/cell/watermark.test.ts', 'while a write is in the order'],
  },
  {
    name: 'readers of all games who go beyond the smallest watermark of the cells',
    file: 'core/records/cells/all-games.ts',
    from: 'const through = Math.min(...watermarks)',
    to: 'const through = Infinity',
    seenBy: severalCells,
  },
  {
    name: 'readers of all games who do not look whether a game moved',
    file: 'core/records/cells/all-games.ts',
    from: 'if (now.changes === placement.changes && ',
    to: 'if (now.changes !== undefined && ',
    seenBy: ['core/records/cells/all-games.test.ts', 'is done again when a game moved meanwhile, or a cell was added'],
  },
  {
    name: 'a move that leaves the version of the credential as it is',
    file: 'core/records/cells/move-game.ts',
    from: 'update credential set version = version + 1 where game = $1',
    to: 'update credential set version = version where game = $1',
    seenBy: severalCells,
  },
  {
    name: 'a move that takes no lock of the order',
    file: 'core/records/cells/move-game.ts',
    from: 'await run(queries.lock, [])',
    to: '',
    seenBy: severalCells,
  },
  {
    name: 'a cell on another server that does not ask the directory after a read',
    file: 'core/records/cells/remote-part.ts',
    from: "if (found !== 'stale' && (await access.isCurrent(who))) return found",
    to: "if (found !== 'stale') return found",
    seenBy: [
      'test/cell-servers.test.ts',
      'a rotated secret, a revoked credential and an ended session are invalid at once',
    ],
  },
  {
    name: 'an undone move whose versions are not above what the servers were told',
    file: 'core/records/cells/move-between.ts',
    from: 'with placed as (update tenant set version = version + 2 where game = $1)',
    to: 'with placed as (update tenant set version = version + 1 where game = $1)',
    seenBy: ['test/cell-servers.test.ts', 'a move that fails when the servers have been told is undone'],
  },
  {
    name: 'a sign-in with a token that the provider has not signed',
    file: 'core/process/outgoing/openid-discovery.ts',
    from: 'for (const extend of [...execute, library.enableNonRepudiationChecks]) extend(config)',
    to: 'for (const extend of execute) extend(config)',
    seenBy: [lies, 'a signature of somebody else'],
  },
  {
    name: 'a sign-in with a token that is meant for another party',
    file: 'core/process/outgoing/openid.ts',
    from: 'claims.azp !== undefined && claims.azp !== provider.clientId',
    to: 'false as boolean',
    seenBy: [lies, 'meant for another party'],
  },
  {
    name: 'a sign-in that another browser began',
    file: 'core/accounts/store/sign-in-attempts.ts',
    from: 'where state = $1 and browser = $2',
    to: 'where state = $1 and $2::bytea is not null',
    seenBy: [signIn, 'what a browser began, no other finishes'],
  },
  {
    name: 'an answer of a provider at the address of another',
    file: 'core/accounts/command/start-provider-sign-in.ts',
    from: 'provider.name !== given.provider || attempt.redirectUri !== given.redirectUri',
    to: 'false as boolean',
    seenBy: [signIn, 'a mixed-up provider is refused'],
  },
  {
    name: 'a role of a group that stays after the group is gone',
    file: 'core/accounts/store/provider-links.ts',
    from: "or (a.reviewer and 'reviewer' <> all(a.provided_roles))",
    to: 'or a.reviewer',
    seenBy: [
      'test/hostile/roles-of-groups-go-with-the-groups.test.ts',
      'give roles at each sign-in and take them away',
    ],
  },
  {
    name: 'a link of a provider that begins in one account and ends in another',
    file: 'core/accounts/command/finish-provider-sign-in.ts',
    from: 'own.account !== account',
    to: 'false as boolean',
    seenBy: ['test/hostile/only-an-account-itself-links-a-provider.test.ts', 'begins and ends in one account'],
  },
]
