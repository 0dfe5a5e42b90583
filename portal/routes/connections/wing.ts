import type { Router } from 'express'
import type { Portal } from '../../web/visit.ts'
import { connections } from './connections.ts'
import { ltiCourse } from './lti-course.ts'
import { ltiPlay } from './lti-play.ts'
import { lti } from './lti.ts'
import { platforms } from './platforms.ts'
import { takeStatements } from './take-statements.ts'
import { webhooks } from './webhooks.ts'

/** Data that goes to others: forwards, webhooks, files. */
export const connectionsWing = (portal: Portal): Router[] =>
  [connections, lti, ltiCourse, ltiPlay, platforms, takeStatements, webhooks].map((routes) => routes(portal))
