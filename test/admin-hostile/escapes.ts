/** Text that would command a terminal. */
export const escapes = '\u001b]0;title\u0007\u001b[2J\u009b31m\u202e'
