/** Cases that walk the same path: the first ones run in `npm test`, the others only in `npm run long`. */
export const sampled = <Case>(all: readonly Case[], inShort: number): { cases: readonly Case[]; tags: string[] }[] => [
  { cases: all.slice(0, inShort), tags: [] },
  { cases: all.slice(inShort), tags: ['long'] },
]
