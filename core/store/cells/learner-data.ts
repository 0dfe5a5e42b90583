import type { LearnerKeys, NamingStatement } from '../cell/learner-data.ts'
import type { Part } from './parts.ts'

/** The data of one agent in all cells. An erasure enters each cell in one transaction (cell/learner-data.ts). */
export function learnerDataOfCells(shared: Part['learnerData'], all: () => Promise<Part[]>) {
  return {
    ...shared,
    async *statements(keys: LearnerKeys): AsyncGenerator<NamingStatement[]> {
      for (const { learnerData } of await all()) yield* learnerData.statements(keys)
    },
    names: async (keys: LearnerKeys): Promise<string[]> => {
      const told = await Promise.all((await all()).map(({ learnerData }) => learnerData.names(keys)))
      return [...new Set(told.flat())]
    },
  }
}
