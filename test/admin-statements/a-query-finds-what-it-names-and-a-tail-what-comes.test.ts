import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually, launch } from '../../start/fixtures/launch.ts'
import { command, done, failed, run } from '../support/admin.ts'
import { cuttable } from '../support/cuttable.ts'
import { activity, player, statement, statements, verb, voiding } from '../support/statements.ts'
import { startAdminSystem, type AdminSystem, type OwnOfTest } from '../support/admin-system.ts'
import { linesOf, idsOf } from './statements.ts'

let { system, connected, admin, next, close } = {} as AdminSystem
let { game } = {} as OwnOfTest
beforeAll(async () => {
  ;({ system, connected, admin, next, close } = await startAdminSystem())
})
afterAll(() => close())
beforeEach(async () => {
  ;({ game } = await next())
})

describe('query', () => {
  test('takes every filter of the interface', async () => {
    const registration = crypto.randomUUID()
    const won = statement({
      verb: { ...verb('won'), display: { en: 'won' } },
      result: { score: { scaled: 0.85 }, success: true },
      context: { registration },
    })
    const within = statement({
      actor: player('ben'),
      context: { contextActivities: { parent: [activity('chess')] }, instructor: player('ann') },
      object: activity('go'),
    })
    const gone = statement()
    await game.xapi().post([statement({ actor: { mbox: 'mailto:cat@example.org' } })])
    await game.xapi().post([won, within, gone])
    await game.xapi().post(voiding(gone.id))
    const ids = async (...args: string[]) =>
      idsOf(linesOf((await admin('statements', 'query', '--key', game.key, '--json', ...args)).out))
    expect(await ids('--verb', verb('won').id)).toEqual([won.id])
    expect(await ids('--registration', registration)).toEqual([won.id])
    expect(await ids('--agent', 'cat@example.org')).toHaveLength(1)
    expect(await ids('--agent', 'https://players.example.org|ben')).toEqual([within.id])
    expect(
      await ids('--agent', JSON.stringify(player('ann')), '--related-agents', '--activity', activity('go').id),
    ).toEqual([within.id])
    expect(
      await ids(
        '--activity',
        activity('chess').id,
        '--related-activities',
        '--agent',
        'https://players.example.org|ben',
      ),
    ).toEqual([within.id])
    const all = linesOf((await admin('statements', 'query', '--key', game.key, '--json', '--ascending')).out)
    expect(all).toHaveLength(4)
    expect(await ids('--since', all[0].stored, '--until', all[1].stored)).toEqual([all[1].id])
    expect(await ids('--limit', '1')).toEqual([all[3].id])
    expect(await ids('--voided-id', gone.id)).toEqual([gone.id])
    expect(
      linesOf(
        (await admin('statements', 'query', '--key', game.key, '--json', '--id', won.id, '--format', 'ids')).out,
      )[0].verb,
    ).toEqual(verb('won'))
    const shown = await admin('statements', 'query', '--key', game.key, '--verb', verb('won').id)
    expect(shown).toEqual(
      done(
        expect.stringMatching(
          /^STORED \(UTC\) +ACTOR +VERB +OBJECT +RESULT\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}ann +won +https:\/\/games\.example\.org\/activities\/chess {2}0\.85, success$/,
        ),
      ),
    )
    expect(await admin('statements', 'query', '--key', game.key, '--verb', verb('lost').id)).toEqual(
      done('', 'No statement matches.'),
    )
    expect((await admin('statements', 'query', '--game', game.id)).out.split('\n')).toHaveLength(5)
  })

  test('of more than a page comes whole, and a reader may leave early', async () => {
    for (let n = 0; n < 5; n++) await game.xapi().post(statements(250))
    const { out } = await admin('statements', 'query', '--key', game.key, '--all', '--json')
    expect(new Set(idsOf(linesOf(out))).size).toBe(1250)
    expect((await admin('statements', 'query', '--key', game.key)).error).toBe(
      'Only the first 50 are shown: --limit or --all show more.',
    )
    const limited = async (limit: number) =>
      (await admin('statements', 'query', '--key', game.key, '--limit', String(limit))).error
    expect([await limited(1), await limited(1249), await limited(1250)]).toEqual([
      'Only the first one is shown: --limit or --all show more.',
      'Only the first 1,249 are shown: --limit or --all show more.',
      '',
    ])
    const script = `'${process.execPath}' admin/main.ts statements query --key ${game.key} --all --json | head -n 2; exit \${PIPESTATUS[0]}`
    const piped = launch('bash', ['-c', script], { env: { PATH: process.env['PATH'], ...connected() } })
    expect([await piped.exited, piped.output().trim().split('\n').length]).toEqual([0, 2])
  })

  test('what is wrong is one line', async () => {
    expect(await admin('statements', 'query', '--key', game.key, '--game', game.id)).toEqual(
      failed(/^--game and --key exclude each other: use one of them\.$/, 2),
    )
    expect(await admin('statements', 'query', '--key', 'nobody')).toEqual(
      failed(/^There is no valid credential with this key: "games list" shows the keys\.$/),
    )
    expect(await admin('statements', 'query')).toEqual(
      failed(/^Name a game with --game <id or slug>, or --key <key of a credential>\.$/, 2),
    )
    expect(await admin('statements', 'query', '--key', game.key, '--agent', 'ann')).toEqual(
      failed(/^"ann" is not an agent\. Use JSON, an e-mail address, or homePage\|name\.$/, 2),
    )
    expect(await admin('statements', 'query', '--key', game.key, '--since', 'yesterday')).toEqual(
      failed(/^since: must be an ISO 8601 timestamp/),
    )
    expect(await admin('statements', 'query', '--key', game.key, '--limit', '0')).toEqual(
      failed(/^error: option '--limit <n>' argument '0' is invalid\. It must be/, 2),
    )
    expect(
      await run(['statements', 'query', '--key', 'x', '--core', 'http://no-such-host.invalid'], { env: connected() }),
    ).toEqual(failed(/^Core does not answer at http:\/\/no-such-host\.invalid: /, 3))
  })
})

test('tail shows the last ones and then each as it is stored, goes on after a cut, and ends with Ctrl-C', async () => {
  const ids = idsOf(statements(3))
  for (const id of ids) await game.xapi().post(statement({ id }))
  const way = await cuttable(system.cores[0]!.port)
  const tail = command(['statements', 'tail', '--key', game.key, '-n', '2', '--json'], {
    env: { ...connected(), LRS_CORE_URL: way.url },
  })
  await eventually(
    () => tail.said.out.split('\n').length === 3,
    () => `two lines in ${tail.said.out} ${tail.said.error}`,
  )
  const fresh = statements(5)
  for (const [n, one] of fresh.entries()) {
    if (n === 2) way.cut()
    await game.xapi().post(one)
  }
  await eventually(
    () => tail.said.error.includes('The connection was lost at '),
    () => tail.said.error,
  )
  way.mend()
  await eventually(
    () => tail.said.out.split('\n').length === 8,
    () => `seven lines in ${tail.said.out}`,
  )
  tail.process.kill('SIGINT')
  const { code, out } = await tail.ended
  await way.close()
  expect([code, idsOf(linesOf(out))]).toEqual([130, [...ids.slice(1), ...idsOf(fresh)]])
})
