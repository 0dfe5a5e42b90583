import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTurns } from '../support/in-turns.ts'
import { startLaunches, type Launches } from '../support/launches.ts'
import { basic, xapiClient, type XapiClient } from '../support/xapi.ts'

let launches: Launches
let clock = Date.now()
beforeAll(async () => {
  launches = await startLaunches({ cores: 1, gateways: 1, now: () => clock })
})
afterAll(() => launches.system.close())

const school = '198.51.100.7'
const elsewhere = (n: number) => `203.0.${n >> 8}.${n & 255}`

/** Sessions of a published game, each of a learner of its own. @param ip the address that starts the nth one */
async function start(slug: string, count: number, ip: (n: number) => string): Promise<XapiClient[]> {
  return inTurns(Array.from({ length: count }), 20, async (_, n) => {
    // resets the limit of 120 sessions a minute from one address: a patient attacker gets them all, too
    if (n % 100 === 0) await launches.system.database.sql(`delete from portal_window where bucket = 'play'`)
    return launches.xapi((await launches.play({ slug, learnerName: `Learner ${n}` }, ip(n))).launch!)
  })
}

const post = (session: XapiClient) => session.post([])
const put = (session: XapiClient) => session.put(crypto.randomUUID(), {})

/** The number of requests that no limit refuses. */
async function served(sessions: readonly XapiClient[], each: number, send = post): Promise<number> {
  const all = Array.from({ length: each }, () => sessions).flat()
  const statuses = await inTurns(all, 20, async (session) => (await send(session)).status)
  return statuses.filter((status) => status !== 429).length
}

test('a learner who floods takes nothing from 60 who send every 5 seconds, nor from the key and secret', async () => {
  const { fox, publish, system } = launches
  const { slug, id } = await publish(fox)
  // 30 of them sit in one room with the one who floods
  const ip = (n: number) => (n < 31 ? school : elsewhere(n))
  const [flooder, ...honest] = await start(slug, 61, ip)
  const { key, secret } = await fox.on().games.revealSecret({ gameId: id })
  const server = xapiClient(system.urls[0]!, basic(key, secret))
  const flooded = [await served([flooder!], 200), await served([flooder!], 200, put)]
  for (let seconds = 0; seconds <= 60; seconds += 5) {
    expect(await served(honest, 1)).toBe(60)
    await served([flooder!], 5)
    clock += 5_000
  }
  expect(await served(honest.slice(0, 30), 1, put)).toBe(30)
  expect([await served([server], 130), await served([server], 130, put)]).toEqual([120, 120])
  // 12 of the learner's own, and the 120 that sessions of the game share
  expect(flooded).toEqual([132, 132])
})

test('160 sessions from one address share the allowance of one network, and others lose nothing', async () => {
  clock += 60_000
  const { slug } = await launches.publish(launches.owl)
  const minted = await start(slug, 160, () => school)
  const honest = await start(slug, 30, elsewhere)
  expect(await served(minted, 5)).toBe(480 + 120)
  expect(await served(honest, 12)).toBe(360)
})

test('one invitation is one learner, for any number of sessions', async () => {
  clock += 60_000
  const { fox, game, play, xapi } = launches
  const { code } = await fox.on().launches.createInvitation({ gameId: game.id, learnerName: 'Ivy' })
  const start = async () => xapi((await play({ invitation: code })).launch!)
  const minted = await inTurns(Array.from({ length: 50 }), 10, start)
  expect(await served(minted, 4)).toBe(132)
})
