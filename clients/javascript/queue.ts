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

/** Milliseconds that IndexedDB has for its first answer; in WebKit it may never come. */
const patience = 1_000

/**
 * A queue in IndexedDB, which outlives the page and is shared by its tabs; in localStorage where IndexedDB does not
 * answer; in memory where there is neither (in Node, and in a frame without an origin of its own). The owner keeps apart
 * what other learners left on the same machine.
 */
export async function openQueue(owner: string): Promise<Queue> {
  const kept = await new Promise<Queue | undefined>((resolve) => {
    const late = setTimeout(resolve, patience)
    stored(owner)
      .then(resolve, () => resolve(undefined))
      .finally(() => clearTimeout(late))
  })
  return together([...(kept ? [kept] : []), ...(hasStorage() ? [inStorage(owner)] : []), inMemory()])
}

/** One queue of several, whose keys differ. A statement goes into the first one that takes it: none may have room. */
function together(queues: readonly Queue[]): Queue {
  const all = <T>(ask: (queue: Queue) => Promise<T>, none: T): Promise<T[]> =>
    Promise.all(queues.map((queue) => ask(queue).catch(() => none)))
  return {
    async add(id, json) {
      for (const queue of queues.slice(0, -1)) {
        const key = await queue.add(id, json).catch(() => 0)
        if (key !== 0) return key
      }
      return queues.at(-1)!.add(id, json)
    },
    first: async (count) => (await all((queue) => queue.first(count), [])).flat().slice(0, count),
    remove: async (keys) => void (await all((queue) => queue.remove(keys), undefined)),
    clear: async () => void (await all((queue) => queue.clear(), undefined)),
    count: async () => (await all((queue) => queue.count(), 0)).reduce((sum, count) => sum + count, 0),
    alone: queues[0]!.alone,
  }
}

/** In memory; its keys are below zero. */
export function inMemory(): Queue {
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

function hasStorage(): boolean {
  try {
    // Node has one, too, which warns
    return globalThis.document !== undefined && localStorage !== undefined
  } catch {
    return false // a frame without an origin of its own
  }
}

/** In localStorage; its keys are times in microseconds, far above those of IndexedDB. */
function inStorage(owner: string): Queue {
  const prefix = `games-lrs ${owner} `
  let last = 0
  const keys = (): number[] =>
    Object.keys(localStorage)
      .filter((name) => name.startsWith(prefix))
      .map((name) => Number(name.slice(prefix.length)))
      .sort((a, b) => a - b)
  const remove = (keys: readonly number[]): void => keys.forEach((key) => localStorage.removeItem(prefix + key))
  return {
    async add(id, json) {
      // two tabs do not take the same one
      last = Math.max(last + 1, Date.now() * 1000 + Math.floor(Math.random() * 1000))
      localStorage.setItem(prefix + last, JSON.stringify({ key: last, id, json }))
      return last
    },
    first: async (count) =>
      keys()
        .slice(0, count)
        .map((key) => JSON.parse(localStorage.getItem(prefix + key)!)),
    remove: async (keys) => remove(keys),
    clear: async () => remove(keys()),
    count: async () => keys().length,
    alone: oneTab(owner),
  }
}

/** Runs work in one tab at a time. Without locks two tabs may send the same statements: their ids make it one row. */
function oneTab(owner: string): Queue['alone'] {
  return globalThis.navigator?.locks === undefined
    ? inMemory().alone
    : (work) =>
        navigator.locks.request(
          `games-lrs ${owner}`,
          { ifAvailable: true },
          async (lock) => lock !== null && (await work(), true),
        )
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
    alone: oneTab(owner),
  }
}
