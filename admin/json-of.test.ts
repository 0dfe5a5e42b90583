import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { create } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { EraseLearnerResponseSchema } from '../gen/lrs/v1/admin_pb.js'
import { ListGamesResponseSchema } from '../gen/lrs/v1/games_pb.js'
import { jsonOf, unitOf } from './json-of.ts'

test('times are RFC 3339 in UTC, null where there is none, in lists and inner messages too', () => {
  const games = [{ updated: 1_795_360_422n, credential: { key: 'k', created: 1_795_360_421n } }]
  expect(jsonOf(ListGamesResponseSchema, create(ListGamesResponseSchema, { games }))).toMatchObject({
    games: [{ updated: '2026-11-22T15:13:42Z', credential: { created: '2026-11-22T15:13:41Z', rotated: null } }],
  })
  const receipt = create(EraseLearnerResponseSchema, { erased: 1_795_360_422_000_007n, statements: 3n })
  expect(jsonOf(EraseLearnerResponseSchema, receipt)).toMatchObject({
    erased: '2026-11-22T15:13:42.000007Z',
    statements: '3',
  })
})

/** Messages that jsonOf never shows: streams of statements and documents, requests, and what only portals read. */
const notShown =
  /^(Get|Query|Follow|Import)\w*(Statement|Document)|^(List)?Documents|^Follow|^Learner(Statement|Document)|^CheckRequest|^CheckEntriesResponse|^Audit|^SandboxEvent|^ExportStatementsRequest|^ListedGameDocument|^Lesson$|^SchoolClass$|^GetReportResponse|^GameReport|^LtiRefusal|^ParentConsent/

test('every time of the contract is known as one, and nothing else is', () => {
  const folder = resolve(import.meta.dirname, '..', 'proto', 'lrs', 'v1')
  const wrong: string[] = []
  let times = 0
  for (const file of globSync('*.proto', { cwd: folder })) {
    let [message, comment, all] = ['', '', '']
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      const opened = /^message (\w+)/.exec(line)?.[1]
      // a message may say it once for all of its times
      if (opened !== undefined) [message, all] = [opened, /times are/i.test(comment) ? comment : '']
      const field = /^ *uint64 (\w+) = /.exec(line)?.[1]
      if (field !== undefined && !notShown.test(message)) {
        const name = field.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
        const unit = /(seconds|microseconds|milliseconds) since 1970/i.exec(all || comment)?.[1]?.toLowerCase()
        if (unit !== undefined) times++
        if (unitOf(name, message) !== unit) wrong.push(`${message}.${field}: ${unit}`)
      }
      comment = /^ *\/\//.test(line) ? comment + line : ''
    }
  }
  expect(wrong).toEqual([])
  expect(times).toBeGreaterThan(20)
})
