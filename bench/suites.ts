import type { Suite } from './suite.ts'
import { compressed } from './suites/compressed.ts'
import { disk } from './suites/disk.ts'
import { follow } from './suites/follow.ts'
import { getOneAndState } from './suites/get-one-and-state.ts'
import { getPage } from './suites/get-page.ts'
import { hop } from './suites/hop.ts'
import { memory } from './suites/memory.ts'
import { moreChain } from './suites/more-chain.ts'
import { postBatch } from './suites/post-batch.ts'
import { postOne } from './suites/post-one.ts'
import { processes } from './suites/processes.ts'
import { refuse } from './suites/refuse.ts'
import { start } from './suites/start.ts'
import { typed } from './suites/typed.ts'

/** Every sub-bench: what reads and what weighs before what writes. */
export const suites: readonly Suite[] = [
  disk,
  getPage,
  compressed,
  moreChain,
  getOneAndState,
  postBatch,
  postOne,
  typed,
  processes,
  hop,
  follow,
  refuse,
  memory,
  start,
]
