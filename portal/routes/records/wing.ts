import type { Router } from 'express'
import type { Portal } from '../../web/visit.ts'
import { deletions } from './deletions.ts'
import { ownData } from './own-data.ts'
import { retention } from './retention.ts'
import { statements } from './statements.ts'

/** Statements and what a game holds: read, kept, shown to whom they are about. */
export const recordsWing = (portal: Portal): Router[] =>
  [deletions, ownData, retention, statements].map((routes) => routes(portal))
