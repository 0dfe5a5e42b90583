/** Who needs a second factor (LRS_SECOND_FACTOR): nobody, admins and reviewers, or everybody. */
export type SecondFactorPolicy = 'optional' | 'staff' | 'all'

interface Who {
  readonly admin: boolean
  readonly reviewer: boolean
}

/** Whether the account needs a second factor. */
export const needsFactor = (policy: SecondFactorPolicy, { admin, reviewer }: Who): boolean =>
  policy === 'all' || (policy === 'staff' && (admin || reviewer))
