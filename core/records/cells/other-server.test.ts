import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Refusal } from '../../process/refusal.ts'
import type { Database } from '../../process/database/database.ts'
import { otherServer } from './other-server.ts'

const cut = () => new Refusal('unavailable', 'The connection was cut.', { away: true })
const query = { name: 'one', text: 'select 2' }

/** A server whose calls end like this, and the queries that reached it. */
function server(calls: { failing: boolean; pings: boolean }) {
  const asked: string[] = []
  const run = async ({ name }: { name: string }) => {
    asked.push(name)
    if (name === 'ping' ? !calls.pings : calls.failing) throw cut()
    return []
  }
  let time = 0
  const address = { now: 'one', closed: 0 }
  const database = otherServer(
    () => address.now,
    () => ({ run, close: async () => void address.closed++ }) as unknown as Database,
    async () => void asked.push('prepare'),
    () => time,
  )
  return { database, asked, address, later: (ms: number) => (time += ms) }
}

test('a connection that was cut keeps nobody from a server that answers', async () => {
  const calls = { failing: true, pings: true }
  const { database, asked } = server(calls)
  await expect(database.run(query, [])).rejects.toThrow('cut')
  calls.failing = false
  await setTimeout(0)
  expect(await database.run(query, [])).toEqual([])
  expect(asked).toEqual(['prepare', 'one', 'ping', 'one'])
})

test('a server that does not answer is left alone for a second', async () => {
  const { database, asked, later } = server({ failing: true, pings: false })
  await expect(database.run(query, [])).rejects.toThrow('cut')
  await setTimeout(0)
  await expect(database.run(query, [])).rejects.toThrow("The server of this game's cell cannot be reached")
  expect(asked).toEqual(['prepare', 'one', 'ping'])
  later(1_001)
  await expect(database.run(query, [])).rejects.toThrow('cut')
  expect(asked).toEqual(['prepare', 'one', 'ping', 'one', 'ping'])
})

test('a server with another address is opened and prepared again, also while it rests', async () => {
  const calls = { failing: true, pings: false }
  const { database, asked, address } = server(calls)
  await expect(database.run(query, [])).rejects.toThrow('cut')
  calls.failing = false
  address.now = 'two'
  expect(await database.run(query, [])).toEqual([])
  expect(address.closed).toBe(0)
  await database.close()
  expect(address.closed).toBe(2)
  expect(asked).toEqual(['prepare', 'one', 'ping', 'prepare', 'one'])
})
