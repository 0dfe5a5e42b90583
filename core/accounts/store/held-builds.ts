/** SQL: the files of the build `b` are there. */
export const isHeld = `b.removed is null
  and (b.grace_until is null and b.kept_until is null or greatest(b.grace_until, b.kept_until) > now())`
