import { unknownOf } from '../store/cell/learner-data.ts'
import type { LearnerKeys, NamingStatement } from '../store/cell/named-learners.ts'
import type { Part } from './part.ts'
import type { Places } from './places.ts'

/**
 * The data of one agent in all cells. An erasure goes through them step by step (cell/learner-data.ts).
 */
export function learnerDataOfCells(shared: Part['learnerData'], places: Places, all: () => Promise<Part[]>) {
  /** One cell of each server beside the directory's. */
  async function others(): Promise<Part[]> {
    const parts = (await all()).filter(({ server }) => server !== undefined)
    return [...new Map(parts.map((part) => [part.server, part])).values()]
  }

  return {
    ...shared,
    async *statements(keys: LearnerKeys): AsyncGenerator<NamingStatement[]> {
      for (const { learnerData } of await all()) yield* learnerData.statements(keys)
    },
    names: async (keys: LearnerKeys): Promise<string[]> => {
      const told = await Promise.all((await all()).map(({ learnerData }) => learnerData.names(keys)))
      return [...new Set(told.flat())]
    },

    /** All cells, for an erasure that goes through them. */
    async erasable(): Promise<{ cell: number; on: Part['learnerData'] }[]> {
      const servers = [shared, ...(await others()).map(({ learnerData }) => learnerData)]
      return (await Promise.all(servers.map(async (on) => (await on.cells()).map((cell) => ({ cell, on }))))).flat()
    },

    /** Runs `work` again if games were moved meanwhile: it may have missed one. */
    async steadily<T>(work: () => Promise<T>): Promise<T[]> {
      const done: T[] = []
      for (;;) {
        const { changes, settling } = await places.read()
        done.push(await work())
        if (settling.length === 0 && changes === (await places.read()).changes) return done
      }
    },

    /** Those of these learners that no cell on another server knows. */
    async unknownElsewhere<One extends { game: number; keys: LearnerKeys }>(learners: readonly One[]): Promise<One[]> {
      let left = [...learners]
      for (const { database } of await others())
        if (left.length > 0) left = await database.transaction((run) => unknownOf(run, left))
      return left
    },
  }
}
