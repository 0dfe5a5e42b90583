import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { statement } from './support/statements.ts'
import { authorizationOf } from '../bench/keys.ts'
import { standIn, startSystem } from '../bench/system.ts'

test('core without Postgres starts as it is today, and a gateway stores with it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lrs-stand-in-'))
  const databaseUrl = `postgres:///none?host=${folder}`
  const system = await startSystem({ databaseUrl, folder, coreScript: standIn('core') })
  onTestFinished(async () => {
    await system.stop()
    rmSync(folder, { recursive: true })
  })
  const { status } = await fetch(`http://127.0.0.1:${system.port}/xapi/statements`, {
    method: 'POST',
    headers: {
      authorization: authorizationOf(0),
      'content-type': 'application/json',
      'x-experience-api-version': '1.0.3',
    },
    body: JSON.stringify(statement()),
  })
  expect(status).toBe(200)
})
