import type { Suite } from './suite.ts'
import { getPage } from './suites/get-page.ts'
import { postBatch } from './suites/post-batch.ts'
import { postOne } from './suites/post-one.ts'

/** Every sub-bench, what reads before what writes. */
export const suites: readonly Suite[] = [getPage, postBatch, postOne]
