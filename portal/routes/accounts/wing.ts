import type { Router } from 'express'
import type { Portal } from '../../web/visit.ts'
import { about } from './about.ts'
import { accounts } from './accounts.ts'
import { activity } from './activity.ts'
import { limits, studios } from './studios.ts'
import { mail } from './mail.ts'
import { members } from './members.ts'
import { notifications } from './notifications.ts'
import { operatorAccounts } from './operator-accounts.ts'
import { ownStudios } from './own-studios.ts'
import { secondStep } from './second-step.ts'
import { security } from './security.ts'
import { sessions } from './sessions.ts'
import { signInWith } from './sign-in-with.ts'
import { tokens } from './tokens.ts'

/** Sign-in, accounts, studios and their members. */
export const accountsWing = (portal: Portal): Router[] =>
  [
    about,
    accounts,
    activity,
    limits,
    mail,
    members,
    notifications,
    operatorAccounts,
    ownStudios,
    secondStep,
    security,
    sessions,
    signInWith,
    studios,
    tokens,
  ].map((routes) => routes(portal))
