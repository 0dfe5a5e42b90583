import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LaunchContext } from '../shared/launch-context.ts'
import { startBrowser } from './support/browser.ts'
import { startPortalSystem, type PortalSystem } from './support/portal.ts'
import { statement } from './support/statements.ts'
import { addStudio, type Studio } from './support/studios.ts'
import { xapiClient, type XapiClient } from './support/xapi.ts'

const children = 30
/** Of them have a phone with a browser; the others send the same requests. */
const phones = 5
const levels = 4
const writers = 8
/** Of all writers together. */
const statementsPerSecond = 1_000
const adl = (verb: string) => ({ id: `http://adlnet.gov/expapi/verbs/${verb}` })

let system: PortalSystem
let school: Studio
let slug: string
let phone: Browser | undefined
beforeAll(async () => {
  phone = await startBrowser()
  system = await startPortalSystem()
  school = await addStudio(system, 'Hill School', { kind: 'school' })
  ;({ slug } = await system.publish(await system.studio('Blue Fox'), 'Star Trail'))
})
afterAll(async () => {
  await phone?.close()
  await system.close()
})

/** What a browser does without its pages: keeps cookies, and sends forms. */
function browser() {
  const cookies = new Map<string, string>()
  return async (path: string, form?: Record<string, string>): Promise<Response> => {
    const cookie = Array.from(cookies, (one) => one.join('=')).join('; ')
    const response = await fetch(system.url + path, {
      redirect: 'manual',
      headers: { cookie, origin: system.url },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    })
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      if (value === '') cookies.delete(name!)
      else cookies.set(name!, value!)
    }
    return response
  }
}

const jsonOf = async <Of>(response: Promise<Response>): Promise<Of> => (await (await response).json()) as Of

interface Child {
  readonly ask: (path: string) => Promise<Response>
  /** Milliseconds from the code to the game, without those in the waiting room. */
  readonly toPlay: number
}

async function joins(name: string, code: string, picture: number): Promise<Child> {
  const ask = browser()
  const began = performance.now()
  expect((await ask('/join', { code })).status).toBe(303)
  const waits = performance.now()
  while ((await jsonOf<{ at: string }>(ask('/join/seat.json'))).at !== 'in') await sleep(100)
  const isIn = performance.now()
  const named = await ask('/join/name', { name, picture: String(picture) })
  expect((await ask(named.headers.get('location')!)).status).toBe(200)
  return { ask, toPlay: performance.now() - isIn + waits - began }
}

/** The same on a phone: the pages are typed and pressed. */
async function joinsByPhone(name: string, code: string, picture: number): Promise<Child> {
  const context = await phone!.newContext({ baseURL: system.url, viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const began = performance.now()
  await page.goto('/join')
  await page.getByLabel('What is the code?').fill(code)
  await page.getByRole('button', { name: 'Go' }).click()
  const waits = performance.now()
  await page.getByLabel('Your name').waitFor()
  const isIn = performance.now()
  await page.getByLabel('Your name').fill(name)
  await page.locator('.pictures label').nth(picture).click()
  await page.getByRole('button', { name: 'Play' }).click()
  await page.waitForURL(/\/play\/.*\/game$/)
  await page.frameLocator('#game').locator('body').waitFor()
  const toPlay = performance.now() - isIn + waits - began
  return { ask: async (path) => new Response(await (await context.request.get(path)).text()), toPlay }
}

/** What the child with this number does at a level: some fail first, some never pass. */
const tries = (child: number, level: number): boolean[] =>
  child % 10 === 9 ? [false, false] : child % 3 === 0 && level === 2 ? [false, true] : [true]

async function plays({ ask }: Child, child: number, seen: (tries: number) => Promise<void>): Promise<void> {
  const { endpoint, auth, actor, activity_id } = await jsonOf<LaunchContext>(ask(`/play/${slug}/launch.json`))
  const xapi: XapiClient = xapiClient(endpoint.replace(/\/xapi\/$/, ''), auth)
  let ended = 0
  for (let level = 1; level <= levels; level++)
    for (const passed of tries(child, level)) {
      const of = (verb: string, more: object = {}) =>
        statement({
          actor,
          verb: adl(verb),
          object: { id: `${activity_id}/levels/${level}` },
          context: { contextActivities: { parent: [{ id: activity_id }] } },
          ...more,
        })
      await xapi.post([of('initialized'), of(passed ? 'passed' : 'failed', { result: { success: passed } })])
      await seen(++ended)
    }
}

test(
  'thirty children play beside eight writers: the board is at most a second late, the report is right',
  { tags: 'long', timeout: 240_000 },
  async () => {
    const games = await Promise.all(Array.from({ length: writers }, () => system.game()))
    const stop = new AbortController()
    let written = 0
    const writing = games.map(async (game) => {
      const batch = statementsPerSecond / writers / 5
      for (let due = performance.now(); !stop.signal.aborted; due += 200) {
        await game.xapi().post(Array.from({ length: batch }, () => statement()))
        written += batch
        await sleep(Math.max(0, due + 200 - performance.now()))
      }
    })
    const names = Array.from({ length: children }, (_, n) => `Child ${n + 1}`)
    const { schools, lessons, lessonResults } = school.on()
    const { classId } = await schools.createSchoolClass({ name: '4b', pupilNames: names })
    const { lesson } = await lessons.openLesson({ classId, gameSlug: slug, senderIp: '127.0.0.1' })
    const { lessonId, code } = lesson!
    // the teacher presses the button twice a second
    const began = performance.now()
    const letting = (async () => {
      while (!stop.signal.aborted) {
        await lessons.letIn({ lessonId })
        await sleep(500)
      }
    })()
    // three at a time
    const joined: Child[] = []
    for (let n = 0; n < children; n += 3)
      joined.push(
        ...(await Promise.all(
          names
            .slice(n, n + 3)
            .map((name, k) => (phone && n + k < phones ? joinsByPhone : joins)(name, code, (n + k) % 12)),
        )),
      )
    /** By pupil: ended tries that the board has shown. */
    let shown = new Map<string, number>()
    const watching = (async () => {
      while (!stop.signal.aborted) {
        const asked = performance.now()
        const { pupils } = await lessonResults.getBoard({ lessonId })
        shown = new Map(pupils.map(({ name, cells }) => [name, cells.reduce((sum, cell) => sum + cell.tries, 0)]))
        await sleep(Math.max(0, 200 - (performance.now() - asked)))
      }
    })()
    const late: number[] = []
    await Promise.all(
      joined.map((child, n) =>
        plays(child, n, async (ended) => {
          const stored = performance.now()
          while ((shown.get(names[n]!) ?? 0) < ended) await sleep(20)
          late.push(performance.now() - stored)
          await sleep(200)
        }),
      ),
    )
    const seconds = (performance.now() - began) / 1000
    stop.abort()
    await Promise.all([letting, watching, ...writing])
    const { pupils } = await lessonResults.getReport({ classId, lessonId })
    const expected = names.map((name, child) => {
      const of = Array.from({ length: levels }, (_, n) => tries(child, n + 1))
      const passed = of.filter((all) => all.includes(true)).length
      return { name, passed, failed: levels - passed, tries: of.map(({ length }) => length) }
    })
    const found = pupils.map(({ name, passed, failed, cells }) => ({
      name,
      passed,
      failed,
      tries: cells.map((cell) => cell.tries),
    }))
    expect(found).toEqual(expected)
    const sorted = (all: readonly number[]) => all.map(Math.round).toSorted((one, other) => one - other)
    const [toPlay, delay] = [sorted(joined.map((child) => child.toPlay)), sorted(late)]
    const byPhone = sorted(joined.slice(0, phone ? phones : 0).map((child) => child.toPlay))
    const figures = (all: readonly number[]) => `median ${all[all.length >> 1]} ms, worst ${all.at(-1)} ms`
    console.log(
      `code to game ${figures(toPlay)}, of phones ${byPhone.join(', ')} ms; board after the statement ${figures(delay)}; ${Math.round(written / seconds)} other statements a second`,
    )
    expect(toPlay.at(-1)).toBeLessThan(15_000)
    expect(delay[delay.length >> 1]).toBeLessThan(1_000)
  },
)
