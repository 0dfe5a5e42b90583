import type { DeclaredService } from '../../process/methods/declaration.ts'
import { accountService } from './accounts.ts'
import { signInService } from './sign-in.ts'
import { learnerService } from './learners.ts'
import { ownDataService } from './own-data.ts'
import { providerService } from './providers.ts'
import { memberService } from './members.ts'
import { noticeService } from './notices.ts'
import { linkService } from './links.ts'
import { auditService } from './audit.ts'
import { tokenService } from './tokens.ts'

/** The services of this wing. */
export const accountServices: readonly DeclaredService[] = [
  accountService,
  signInService,
  learnerService,
  ownDataService,
  providerService,
  memberService,
  noticeService,
  linkService,
  auditService,
  tokenService,
]
