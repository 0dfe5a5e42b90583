import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCore } from '../core/core.ts'
import { openStore } from '../core/store.ts'
import { startSystem, type System } from './support/system.ts'
import { activity, player, statement, statements } from './support/statements.ts'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.close())

test('a running core goes on when a newer one has added to the schema; one that starts refuses it in words', async () => {
  const game = await system.game()
  const before = statements(5)
  expect((await game.xapi().post(before)).status).toBe(200)
  // as docs/operating.md wants the steps of the next version to be: added, with defaults
  await system.database.sql(`
    begin;
    alter table statement add column next_version text;
    alter table document add column next_version int not null default 7;
    alter table game add column next_version boolean not null default false;
    create table next_version (id int primary key);
    insert into schema_version (version) values (999);
    commit;`)
  const one = statement({ actor: player('next'), object: activity('next') })
  expect((await game.xapi().post([one, ...statements(5)])).status).toBe(200)
  expect((await game.xapi().get({ statementId: before[0]!.id })).status).toBe(200)
  expect((await game.xapi().all({ agent: player('next') })).length).toBe(1)
  const query = { activityId: activity('next').id, agent: JSON.stringify(player('next')), stateId: 'save' }
  expect((await game.xapi().request('PUT', 'activities/state', { query, body: { level: 1 } })).status).toBe(204)
  expect((await game.xapi().request('GET', 'activities/state', { query })).json).toEqual({ level: 1 })
  expect((await (await system.game()).xapi().post(statement())).status).toBe(200)

  const sentence = /schema version 999, this program knows \d+: start a newer program, or restore a backup/
  const store = openStore({ url: system.database.url, connections: 2, wait: 2_000, statementTimeout: 10_000 })
  await expect(store.migrate()).rejects.toThrow(sentence)
  await store.close()
  const [{ config, log }] = system.cores as [System['cores'][0]]
  await expect(createCore(config, { log })).rejects.toThrow(sentence)
})
