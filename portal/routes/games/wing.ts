import type { Router } from 'express'
import type { Portal } from '../../web/visit.ts'
import { beta } from './beta.ts'
import { builds } from './builds.ts'
import { classes } from './classes.ts'
import { cmi5 } from './cmi5.ts'
import { documents } from './documents.ts'
import { credential } from './credential.ts'
import { device } from './device.ts'
import { deviceTokens } from './device-tokens.ts'
import { embed } from './embed.ts'
import { games } from './games.ts'
import { invitations } from './invitations.ts'
import { lessons } from './lessons.ts'
import { join } from './join.ts'
import { media } from './media.ts'
import { parentConsents } from './parent-consents.ts'
import { play } from './play.ts'
import { published } from './published.ts'
import { reviews } from './reviews.ts'
import { rosters } from './rosters.ts'
import { schools } from './schools.ts'
import { sandbox } from './sandbox.ts'
import { uploads } from './uploads.ts'

/** Games: their life, their files, who plays them. */
export const gamesWing = (portal: Portal): Router[] =>
  [
    beta,
    builds,
    classes,
    cmi5,
    credential,
    documents,
    device,
    deviceTokens,
    embed,
    games,
    invitations,
    lessons,
    join,
    media,
    parentConsents,
    play,
    published,
    reviews,
    rosters,
    schools,
    sandbox,
    uploads,
  ].map((routes) => routes(portal))
