/** One statement that waits to be sent. */
export interface Waiting {
  readonly key: number
  readonly id: string
  /** JSON, as it goes over the line: a retry is the identical batch. */
  readonly json: string
}

/** Statements of one owner, in the order in which they came. */
export interface Queue {
  /** Returns its key. */
  add(id: string, json: string): Promise<number>
  /** The first ones, in order. */
  first(count: number): Promise<Waiting[]>
  remove(keys: readonly number[]): Promise<void>
  clear(): Promise<void>
  count(): Promise<number>
  /** Runs `work` unless another tab runs it for the same owner; false then. */
  alone(work: () => Promise<void>): Promise<boolean>
}

/**
 * A queue in IndexedDB, which outlives the page and is shared by its tabs; in memory where there is none (in Node, and
 * in a frame without an origin of its own). The owner keeps apart what other learners left on the same machine.
 */
export async function openQueue(owner: string): Promise<Queue> {
  const memory = inMemory()
  try {
    return backed(await stored(owner), memory)
  } catch {
    return memory
  }
}

/** What the browser will not keep, without room or when its data were cleared, waits in memory; its keys are below zero. */
function backed(kept: Queue, memory: Queue): Queue {
  return {
    add: (id, json) => kept.add(id, json).catch(() => memory.add(id, json)),
    first: async (count) =>
      [...(await kept.first(count).catch(() => [])), ...(await memory.first(count))].slice(0, count),
    async remove(keys) {
      await Promise.all([kept.remove(keys.filter((key) => key > 0)).catch(() => {}), memory.remove(keys)])
    },
    clear: async () => void (await Promise.all([kept.clear().catch(() => {}), memory.clear()])),
    count: async () => (await kept.count().catch(() => 0)) + (await memory.count()),
    alone: kept.alone,
  }
}

function inMemory(): Queue {
  let waiting: Waiting[] = []
  let last = 0
  let busy = false
  return {
    async add(id, json) {
      waiting.push({ key: --last, id, json })
      return last
    },
    first: async (count) => waiting.slice(0, count),
    remove: async (keys) => void (waiting = waiting.filter(({ key }) => !keys.includes(key))),
    clear: async () => void (waiting = []),
    count: async () => waiting.length,
    async alone(work) {
      if (busy) return false
      busy = true
      await work().finally(() => (busy = false))
      return true
    },
  }
}

const promised = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })

async function stored(owner: string): Promise<Queue> {
  const opening = indexedDB.open('games-lrs', 1)
  opening.addEventListener('upgradeneeded', () => {
    opening.result.createObjectStore('waiting', { keyPath: 'key', autoIncrement: true }).createIndex('owner', 'owner')
  })
  const database = await promised(opening)
  database.addEventListener('versionchange', () => database.close())
  const memory = inMemory()
  const store = (mode: IDBTransactionMode) => database.transaction('waiting', mode).objectStore('waiting')
  const done = (store: IDBObjectStore): Promise<void> =>
    new Promise((resolve, reject) => {
      store.transaction.addEventListener('complete', () => resolve())
      store.transaction.addEventListener('abort', () => reject(store.transaction.error))
    })
  return {
    async add(id, json) {
      const waiting = store('readwrite')
      const key = promised(waiting.add({ owner, id, json }))
      await done(waiting)
      return Number(await key)
    },
    first: async (count) => promised(store('readonly').index('owner').getAll(owner, count)),
    async remove(keys) {
      const waiting = store('readwrite')
      for (const key of keys) waiting.delete(key)
      await done(waiting)
    },
    async clear() {
      const waiting = store('readwrite')
      for (const key of await promised(waiting.index('owner').getAllKeys(owner))) waiting.delete(key)
      await done(waiting)
    },
    count: async () => promised(store('readonly').index('owner').count(owner)),
    // without locks two tabs may send the same statements: their ids make it one row
    alone: (work) =>
      navigator.locks === undefined
        ? memory.alone(work)
        : navigator.locks.request(
            `games-lrs ${owner}`,
            { ifAvailable: true },
            async (lock) => lock !== null && (await work(), true),
          ),
  }
}
